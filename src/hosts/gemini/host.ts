// Gemini CLI: its hook payloads in, its hook output out. The output has Claude Code's shape.
import { claudeCode } from '../claude-code/host.ts';
import { renderNoteAs } from '../dialect.ts';
import type { Host } from '../host.ts';
import { parseHook } from './parse-hook.ts';

export const gemini: Host = {
  name: 'gemini',
  parseHook,
  renderStart: claudeCode.renderStart,
  renderNote: renderNoteAs({ 'first-prompt': 'BeforeAgent', edit: 'BeforeTool', error: 'AfterTool' }),
};
