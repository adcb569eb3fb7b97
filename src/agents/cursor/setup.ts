// Cursor: hooks in one file, servers in another, for all its windows and for its CLI.
import { type AgentSetup, hookCommand, jsonFile, SERVER } from '../setup.ts';

const HOOKS = Object.entries({
  sessionStart: 'context',
  beforeSubmitPrompt: 'new',
  postToolUse: 'save',
  postToolUseFailure: 'save',
  afterFileEdit: 'save',
  afterAgentResponse: 'save',
  stop: 'summary',
  sessionEnd: 'cleanup',
});

const HOOKS_FILE = jsonFile('.cursor/hooks.json', (launcher) =>
  HOOKS.map(([event, command]) => ({ list: ['hooks', event], value: { command: hookCommand(launcher, command, 'cursor') } })),
);

export const cursorSetup: AgentSetup = {
  title: 'Cursor',
  folder: '.cursor',
  files: [
    { ...HOOKS_FILE, put: (text, launcher) => HOOKS_FILE.put(text || '{\n  "version": 1\n}\n', launcher) },
    jsonFile('.cursor/mcp.json', (launcher) => [{ at: ['mcpServers', SERVER], value: { command: launcher, args: ['mcp.js'] } }]),
  ],
  afterwards: 'Cursor reads its hooks when it starts: restart it.',
  lacks: 'no notes within a session, and nothing of sessions from before: Cursor gives neither',
};
