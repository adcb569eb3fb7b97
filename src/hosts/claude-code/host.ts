// Claude Code: its hook payloads in, its hook output out.
import type { Host } from '../host.ts';
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
};
