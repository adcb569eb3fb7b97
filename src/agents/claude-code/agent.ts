// Claude Code: its hooks are the words that all others are translated into; a transcript for each session and each of its subagents.
import type { TranscriptFile } from '../agent.ts';
import { createAgent } from '../hook.ts';
import { readAction } from './actions.ts';
import { createReader } from './transcript.ts';

export const claudeCode = createAgent({
  name: 'claude-code',
  readAction,
  noteEvents: { 'first-prompt': 'UserPromptSubmit', edit: 'PreToolUse', error: 'PostToolUseFailure' },
  folders: [{ folder: '.claude/projects', pattern: '*/**/*.jsonl' }],
  describeFile,
  createReader,
});

/** Until the file beside it says more. */
const UNNAMED = 'subagent';
const SUBAGENT = /\/([^/]+)\/subagents\/(?:[^/]+\/)*agent-([^/]+)\.jsonl$/;
const SESSION = /\/([^/]+)\.jsonl$/;
/** Of older versions: an agent's file beside the session's, which only its lines name. */
const OLD_AGENT = /\/agent-([^/]+)\.jsonl$/;

function describeFile(path: string): TranscriptFile | null {
  const agent = SUBAGENT.exec(path);
  if (agent?.[1] && agent[2]) return { path, session: agent[1], agent: { id: agent[2], type: UNNAMED } };
  const old = OLD_AGENT.exec(path);
  if (old?.[1]) return { path, session: null, agent: { id: old[1], type: UNNAMED } };
  const session = SESSION.exec(path);
  return session?.[1] ? { path, session: session[1], agent: null } : null;
}
