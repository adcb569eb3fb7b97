// The coding agents we know.
import type { Agent } from './agent.ts';
import { claudeCode } from './claude-code/agent.ts';
import { codex } from './codex/agent.ts';
import { cursor } from './cursor/agent.ts';
import { gemini } from './gemini/agent.ts';
import { openCode } from './opencode/agent.ts';
import { vsCode } from './vscode/agent.ts';

export const AGENTS: readonly Agent[] = [claudeCode, codex, gemini, openCode, cursor, vsCode];

export const findAgent = (name: string): Agent | undefined => AGENTS.find((agent) => agent.name === name);
