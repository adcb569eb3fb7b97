// An editor in which a person works: extensions/vscode reports it by HTTP, in Claude Code’s words. No hooks, no transcripts.
import { readAction } from '../claude-code/actions.ts';
import { createAgent, NO_TRANSCRIPTS } from '../hook.ts';

export const vsCode = createAgent({
  name: 'vscode',
  readAction,
  noteEvents: { 'first-prompt': 'UserPromptSubmit', edit: 'PreToolUse', error: 'PostToolUseFailure' },
  ...NO_TRANSCRIPTS,
});
