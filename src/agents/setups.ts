// How `install --agent` sets up the agents whose own files we write. Claude Code has a plugin, and a command to add it by.
import { codexSetup } from './codex/setup.ts';
import { cursorSetup } from './cursor/setup.ts';
import { geminiSetup } from './gemini/setup.ts';
import { openCodeSetup } from './opencode/setup.ts';
import type { AgentSetup } from './setup.ts';

export const SETUPS: Record<string, AgentSetup> = {
  codex: codexSetup,
  gemini: geminiSetup,
  opencode: openCodeSetup,
  cursor: cursorSetup,
};
