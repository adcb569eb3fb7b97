// Gemini CLI: hooks and servers in one file of settings, which may have comments. Its clock counts milliseconds.
import { type AgentSetup, hookCommand, jsonFile, SERVER } from '../setup.ts';

const HOOKS = Object.entries({
  SessionStart: 'context',
  BeforeAgent: 'new',
  AfterTool: 'save',
  AfterAgent: 'summary',
  SessionEnd: 'cleanup',
});

const TIMEOUT_MS = 5000;

export const geminiSetup: AgentSetup = {
  title: 'Gemini CLI',
  folder: '.gemini',
  files: [
    jsonFile('.gemini/settings.json', (launcher) => [
      ...HOOKS.map(([event, command]) => ({
        list: ['hooks', event],
        value: {
          hooks: [{ name: SERVER, type: 'command', command: hookCommand(launcher, command, 'gemini'), timeout: TIMEOUT_MS }],
        },
      })),
      { at: ['mcpServers', SERVER], value: { command: launcher, args: ['mcp.js'] } },
    ]),
  ],
  afterwards: '',
  lacks: 'no notes before an edit',
};
