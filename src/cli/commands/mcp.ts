// `claude-mem mcp`: the tools of the memory for any MCP client, and what such a client has to be told to start them.
import { existsSync } from 'node:fs';
import { findPaths } from '../../paths.ts';
import { command, oneOf } from '../command.ts';
import { isInstalled, launcherIn, marketplaceFolder } from '../install/plugin-folder.ts';

type Start = { command: string; args: string[] };

const inServers = (start: Start) => ({ mcpServers: { 'claude-mem': start } });

/** What to write, and where people keep it. */
const CLIENTS = {
  'claude-desktop': {
    file: 'claude_desktop_config.json (Settings > Developer > Edit Config)',
    entry: inServers,
  },
  cursor: { file: '~/.cursor/mcp.json, or .cursor/mcp.json in a project', entry: inServers },
  vscode: {
    file: '.vscode/mcp.json in a project',
    entry: (start) => ({ servers: { 'claude-mem': { type: 'stdio', ...start } } }),
  },
  zed: { file: '~/.config/zed/settings.json', entry: (start) => ({ context_servers: { 'claude-mem': { ...start, env: {} } } }) },
  gemini: { file: '~/.gemini/settings.json', entry: inServers },
  codex: {
    file: '~/.codex/config.toml',
    entry: ({ command: program, args }) => `[mcp_servers.claude-mem]\ncommand = ${JSON.stringify(program)}\nargs = ${JSON.stringify(args)}`,
  },
  other: { file: 'the settings of your client, in the form that most have', entry: inServers },
} satisfies Record<string, { file: string; entry: (start: Start) => object | string }>;
type Client = keyof typeof CLIENTS;
// Object.keys says less than the table does.
const NAMES = Object.keys(CLIENTS) as Client[];

export const mcpCommand = command({
  name: 'mcp',
  json: false,
  about: 'Run the MCP server on stdin and stdout, for coding agents',
  options: { '--config <client>': oneOf('Only print what a client needs to start it', NAMES) },
  help:
    'The server works in the project of the folder that its client starts it in. A client that has none, such as Claude Desktop, ' +
    'finds memories of other projects once you allow that: claude-mem config set agentAllProjects true.',
  examples: ['claude mcp add claude-mem -- claude-mem mcp', 'claude-mem mcp --config vscode'],
  who: 'anyone',
  async run({ config }) {
    if (config !== undefined) return describe(config);
    // In a bundle of its own: the plugin starts it without the rest.
    const { runMcp } = await import('../mcp.ts');
    await runMcp();
  },
});

function describe(name: Client): undefined {
  const client = CLIENTS[name];
  const entry = client.entry(findStart());
  console.error(`Add this to ${client.file}:`);
  console.log(typeof entry === 'string' ? entry : JSON.stringify(entry, null, 2));
}

/** What `install` placed needs no PATH. */
function findStart(): Start {
  const paths = findPaths();
  const launcher = launcherIn(marketplaceFolder(paths));
  if (isInstalled(paths) && existsSync(launcher)) return { command: launcher, args: ['mcp.js'] };
  return { command: 'claude-mem', args: ['mcp'] };
}
