// How `install --agent` sets up the agents whose own files we write. Claude Code has a plugin, and a command to add it by.
import plugin from './opencode/plugin.txt' with { type: 'text' };
import { type AgentSetup, hookCommand, jsonFile, SERVER, type SetupFile } from './setup.ts';

/** Hooks by the event of the agent; as its file has each. */
const listHooks = (commands: Record<string, string>, write: (command: string) => unknown) =>
  Object.entries(commands).map(([event, command]) => ({ list: ['hooks', event], value: write(command) }));

const server = (launcher: string) => ({ at: ['mcpServers', SERVER], value: { command: launcher, args: ['mcp.js'] } });

const CODEX_HOOKS = {
  SessionStart: 'context',
  UserPromptSubmit: 'new',
  PostToolUse: 'save',
  SubagentStop: 'save',
  PostCompact: 'save',
  Stop: 'summary',
  SessionEnd: 'cleanup',
};

/** In Claude Code's form. Codex gives a hook at a session's end no more than three seconds. */
const codexHooks = jsonFile('.codex/hooks.json', (launcher) =>
  listHooks(CODEX_HOOKS, (command) => ({
    hooks: [{ type: 'command', command: hookCommand(launcher, command, 'codex'), timeout: 3 }],
  })),
);

const FIRST = '# claude-mem: begin';
const LAST = '# claude-mem: end';
const BLOCK = new RegExp(`\\n?${FIRST}\\n[\\s\\S]*?${LAST}\\n?`);

/** Its settings are TOML: there the server is a block at the end. */
const codexServer: SetupFile = {
  path: '.codex/config.toml',
  put: (text, launcher) => {
    if (new RegExp(`^\\s*\\[mcp_servers\\.["']?${SERVER}["']?\\]`, 'm').test(text))
      throw new Error(`mcp_servers.${SERVER} in it is somebody else's.`);
    const table = `[mcp_servers.${SERVER}]\ncommand = ${JSON.stringify(launcher)}\nargs = ["mcp.js"]\n`;
    return `${text}${text === '' ? '' : '\n'}${FIRST}\n${table}${LAST}\n`;
  },
  take: (text) => text.replace(BLOCK, ''),
};

const GEMINI_HOOKS = {
  SessionStart: 'context',
  BeforeAgent: 'new',
  AfterTool: 'save',
  AfterAgent: 'summary',
  SessionEnd: 'cleanup',
};

/** Its settings may have comments, and its clock counts milliseconds. */
const geminiSettings = jsonFile('.gemini/settings.json', (launcher) => [
  ...listHooks(GEMINI_HOOKS, (command) => ({
    hooks: [{ name: SERVER, type: 'command', command: hookCommand(launcher, command, 'gemini'), timeout: 5000 }],
  })),
  server(launcher),
]);

/** The plugin also names the server. Nothing else is touched. */
const openCodePlugin: SetupFile = {
  path: '.config/opencode/plugin/claude-mem.js',
  // A string in single quotes.
  put: (_, launcher) => plugin.replace('{{launcher}}', () => launcher.replaceAll('\\', '\\\\').replaceAll("'", "\\'")),
  take: () => '',
};

const CURSOR_HOOKS = {
  sessionStart: 'context',
  beforeSubmitPrompt: 'new',
  postToolUse: 'save',
  postToolUseFailure: 'save',
  afterFileEdit: 'save',
  afterAgentResponse: 'save',
  stop: 'summary',
  sessionEnd: 'cleanup',
};

const cursorHooks = jsonFile('.cursor/hooks.json', (launcher) =>
  listHooks(CURSOR_HOOKS, (command) => ({ command: hookCommand(launcher, command, 'cursor') })),
);

export const SETUPS: Record<string, AgentSetup> = {
  codex: {
    title: 'Codex',
    folder: '.codex',
    files: [codexHooks, codexServer],
    afterwards: 'Codex runs new hooks only once you trust them: start `codex`, type /hooks and trust those of claude-mem.',
    lacks: 'no notes before an edit or after an error',
  },
  gemini: { title: 'Gemini CLI', folder: '.gemini', files: [geminiSettings], afterwards: '', lacks: 'no notes before an edit' },
  opencode: {
    title: 'OpenCode',
    folder: '.config/opencode',
    files: [openCodePlugin],
    afterwards: '',
    lacks: 'no notes before an edit or after an error, and nothing of sessions from before',
  },
  cursor: {
    title: 'Cursor',
    folder: '.cursor',
    files: [
      { ...cursorHooks, put: (text, launcher) => cursorHooks.put(text || '{\n  "version": 1\n}\n', launcher) },
      jsonFile('.cursor/mcp.json', (launcher) => [server(launcher)]),
    ],
    afterwards: 'Cursor reads its hooks when it starts: restart it.',
    lacks: 'no notes within a session, and nothing of sessions from before: Cursor gives neither',
  },
};
