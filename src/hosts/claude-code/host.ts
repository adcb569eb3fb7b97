// Claude Code: its hook payloads in, its hook output out.
import type { Host, NoteOccasion } from '../host.ts';
import type { KnownEvent } from './event-names.ts';
import { parseHook } from './parse-hook.ts';

export const claudeCode: Host = {
  name: 'claude-code',
  parseHook,
  renderStart: ({ context, message }) =>
    JSON.stringify({
      continue: true,
      suppressOutput: true,
      ...(message ? { systemMessage: message } : {}),
      ...(context ? { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: context } } : {}),
    }),
  renderNote: (occasion, additionalContext) =>
    JSON.stringify({
      continue: true,
      suppressOutput: true,
      hookSpecificOutput: { hookEventName: EVENT_OF_NOTE[occasion], additionalContext },
    }),
};

const EVENT_OF_NOTE: Record<NoteOccasion, KnownEvent> = {
  'first-prompt': 'UserPromptSubmit',
  edit: 'PreToolUse',
  error: 'PostToolUseFailure',
};
