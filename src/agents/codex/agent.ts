// Codex: its hooks have Claude Code's words for most; a transcript for each session.
import type { TranscriptFile } from '../agent.ts';
import { createAgent } from '../hook.ts';
import { type Fields, text } from '../json.ts';
import { onlySpoken } from '../record.ts';
import { readAction } from './actions.ts';
import { createReader } from './transcript.ts';

const PATTERN = '**/rollout-*.{jsonl,jsonl.zst}';

/** A tool that failed has no event of its own. */
const NOTE_EVENTS = { 'first-prompt': 'UserPromptSubmit', edit: 'PreToolUse', error: 'PostToolUse' };

export const codex = createAgent({
  name: 'codex',
  translate,
  readAction,
  noteEvents: NOTE_EVENTS,
  // Any other field, before or after a tool, and Codex says that the hook failed.
  renderNote: (occasion, additionalContext) =>
    JSON.stringify({ hookSpecificOutput: { hookEventName: NOTE_EVENTS[occasion], additionalContext } }),
  folders: [
    { folder: '.codex/sessions', pattern: PATTERN },
    { folder: '.codex/archived_sessions', pattern: PATTERN },
  ],
  describeFile,
  createReader,
});

/** It is called a turn there. A patch of several files is the first of them: the others follow from the transcript. */
function translate(payload: Fields): Fields {
  return {
    ...payload,
    prompt_id: payload.prompt_id ?? payload.turn_id,
    tool_use_id: ownId(payload),
    ...(typeof payload.prompt === 'string' && { prompt: onlySpoken(payload.prompt) }),
  };
}

/** Calls are numbered in each session anew (`call_3`): with the session, or the agent in it, an id is the only one of its kind. */
function ownId(payload: Fields): string | null {
  const id = text(payload.tool_use_id);
  const owner = String(payload.agent_id || payload.session_id || '');
  if (id === '') return null;
  return id.startsWith(`${owner}:`) ? id : `${owner}:${id}`;
}

const NAME = /[/\\]rollout-(?:[\dT-]{19}-)?([^/\\]+?)\.jsonl(?:\.zst)?$/;

function describeFile(path: string): TranscriptFile | null {
  const session = NAME.exec(path)?.[1];
  return session ? { path, session, agent: null } : null;
}
