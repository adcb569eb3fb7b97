// OpenCode: it has no hooks that run a command. Our plugin in it (plugin.ts) says what happens in Claude Code's words; its chats are in a
// database of its own, which is not read.
import { createAgent, NO_TRANSCRIPTS } from '../hook.ts';
import type { Fields } from '../json.ts';
import { readAction, readFailure } from './actions.ts';

export const openCode = createAgent({
  name: 'opencode',
  translate,
  readAction,
  noteEvents: { 'first-prompt': 'UserPromptSubmit', edit: 'PreToolUse', error: 'PostToolUseFailure' },
  ...NO_TRANSCRIPTS,
});

function translate(payload: Fields): Fields {
  const failure = payload.hook_event_name === 'PostToolUse' ? readFailure(payload) : null;
  return failure === null ? payload : { ...payload, hook_event_name: 'PostToolUseFailure', error: failure };
}
