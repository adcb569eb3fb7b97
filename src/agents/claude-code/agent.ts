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

const SUBAGENT = /\/([^/]+)\/subagents\/(?:[^/]+\/)*agent-([^/]+)\.jsonl$/;
/** Versions before 2 kept the files of agents beside the session's: those are not read. */
const SESSION = /\/(?!agent-)([^/]+)\.jsonl$/;

function describeFile(path: string): TranscriptFile | null {
  const [, owner, id] = SUBAGENT.exec(path) ?? [];
  // What kind of agent it is says the file beside it.
  if (owner && id) return { path, session: owner, agent: { id, type: 'subagent' } };
  const session = SESSION.exec(path)?.[1];
  return session ? { path, session, agent: null } : null;
}
