// `claude-mem token` and `viewer`: how programs and the browser get in. The token is not printed: a terminal keeps what it shows.
import { existsSync } from 'node:fs';
import { askWorker } from '../../client/api.ts';
import { quoteWord } from '../../core/text.ts';
import { hasScreen } from '../../environment.ts';
import { findPaths } from '../../paths.ts';
import { command, oneOf, person } from '../command.ts';
import { isInstalled, launcherIn, marketplaceFolder } from '../install/plugin-folder.ts';
import { fetchStatus } from '../worker-state.ts';

const OPENS = person('Whoever has the link or the token can read and change all memories.');

export const tokenCommand = command({
  name: 'token',
  about: 'Show the API token file for scripts and editors',
  who: 'anyone',
  commands: [
    command({
      name: 'rotate',
      about: 'Make a new token: the old one and every open page stop working at once',
      who: OPENS,
      async run() {
        const { token } = findPaths();
        const answer = await askWorker<{ address: string | null }>(findPaths(), '/api/token/rotate', { method: 'POST' });
        const done = `There is a new token in ${token}; the old one and every open page no longer work.`;
        return {
          answer: { path: token, ...answer },
          text: () => `${done}\nPrograms must read it again. For the viewer: \`claude-mem viewer\`.`,
        };
      },
    }),
  ],
  async run() {
    const { token } = findPaths();
    const exists = existsSync(token);
    const status = await fetchStatus(findPaths());
    const address = status?.web.address ?? null;
    const header = `printf 'Authorization: Bearer %s' "$(cat ${quoteWord(token)})"`;
    const next = () => {
      if (!exists) return 'It is made when the worker starts: `claude-mem start`.';
      if (status === null) return 'No worker runs, so nothing accepts it now: `claude-mem start`.';
      if (address === null) return 'The worker has no HTTP server now: see `claude-mem status`.';
      return `Programs send it like this:\n  ${header} | curl -H @- ${address}/health`;
    };
    return { answer: { path: token, exists, address }, text: () => `${token}\n${next()}` };
  },
});

export const viewerCommand = command({
  name: 'viewer',
  about: 'Open the memory in a browser',
  help: 'By a link that works once, for ten minutes.',
  options: { '--print': 'Only print the link' },
  who: OPENS,
  async run({ print, json }) {
    const link = await askWorker<{ url: string; expiresAt: string }>(findPaths(), '/api/token/link', { method: 'POST' });
    if (json || print || process.stdout.isTTY !== true || !hasScreen()) return { answer: link, text: () => link.url };
    const next = openBrowser(link.url) ? 'It works once.' : 'Open it in a browser within ten minutes; it works once.';
    return `${link.url}\n${next}`;
  },
});

const OPENERS: Record<string, string[]> = {
  darwin: ['open'],
  linux: ['xdg-open'],
  // The first argument is the title of a window.
  win32: ['cmd', '/c', 'start', ''],
};

/** In its own time, and apart from the terminal: that may be closed before the browser is there. */
export function openBrowser(url: string): boolean {
  const [program = '', ...words] = OPENERS[process.platform] ?? [];
  const path = Bun.which(program);
  if (!path) return false;
  Bun.spawn([path, ...words, url], { stdio: ['ignore', 'ignore', 'ignore'], detached: true }).unref();
  return true;
}

// `claude-mem mcp`: the tools of the memory for any MCP client, and what such a client has to be told to start them.

type Start = { command: string; args: string[] };

const inServers = (start: Start) => ({ mcpServers: { 'claude-mem': start } });

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
