// Codex: its hook payloads in, its hook output out. It has Claude Code's words for most.
import { claudeCode } from '../claude-code/host.ts';
import { renderNoteAs } from '../dialect.ts';
import type { Host } from '../host.ts';
import { parseHook } from './parse-hook.ts';

export const codex: Host = {
  name: 'codex',
  parseHook,
  renderStart: claudeCode.renderStart,
  // A tool that failed has no event of its own.
  renderNote: renderNoteAs({ 'first-prompt': 'UserPromptSubmit', edit: 'PreToolUse', error: 'PostToolUse' }),
};
