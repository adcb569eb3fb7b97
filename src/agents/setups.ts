// How `install --agent` sets up the agents whose own files we write. Claude Code has a plugin, and a command to add it by.

import { quoteWord } from '../core/text.ts';
import { insert, isObjectText, type JSONPath, put, readValue, removeUpwards, valueIn } from './json-text.ts';
import plugin from './opencode/plugin.txt' with { type: 'text' };

export const SERVER = 'claude-mem';

/** Hooks by the event of the agent; as its file has each. */
const listHooks = (commands: Record<string, string>, write: (command: string, event: string) => unknown) =>
  Object.entries(commands).map(([event, command]) => ({ list: ['hooks', event], value: write(command, event) }));

const server = (launcher: string) => ({ at: ['mcpServers', SERVER], value: { command: launcher, args: ['mcp.js'] } });

const CODEX_HOOKS = {
  SessionStart: 'context',
  UserPromptSubmit: 'new',
  PreToolUse: 'context',
  PostToolUse: 'save',
  SubagentStop: 'save',
  PostCompact: 'save',
  Stop: 'summary',
  SessionEnd: 'cleanup',
};

/** In Claude Code's form; before a tool only its one way to edit is asked about. Codex gives a hook at a session's end three seconds. */
const codexHooks = jsonFile('.codex/hooks.json', (launcher) =>
  listHooks(CODEX_HOOKS, (command, event) => ({
    ...(event === 'PreToolUse' && { matcher: 'apply_patch' }),
    hooks: [{ type: 'command', command: hookCommand(launcher, command, 'codex'), timeout: 3 }],
  })),
);

const HEADER = String.raw`[ \t]*\[mcp_servers\.["']?${SERVER}["']?[.\]][^\n]*`;
const ITS_LINES = String.raw`(?:\n(?:[ \t\r]*(?:#[^\n]*)?\n)*(?![ \t\r]*(?:[[#\n]|$))[^\n]+)*`;
/** With the empty line above each; a comment below one belongs to what follows. */
const SERVER_TABLES = new RegExp(String.raw`(?:(?<=\n)\r?\n)?^${HEADER}${ITS_LINES}\n?`, 'gm');
/** In a table that is open, or by its whole name. */
const SERVER_KEY = new RegExp(String.raw`^[ \t]*(?:mcp_servers\.)?["']?${SERVER}["']?[ \t]*[.=]`, 'm');

function tablesIn(text: string, launcher: string): string {
  const tables = text.match(SERVER_TABLES)?.join('') ?? '';
  return [launcher, JSON.stringify(launcher).slice(1, -1)].some((word) => tables.includes(word)) ? tables.trim() : '';
}

/** Its settings are TOML, which Codex itself writes anew, without comments of others: our part is known by its tables alone. */
const codexServer: SetupFile = {
  path: '.codex/config.toml',
  put: (text, launcher, now) => {
    if (text.search(SERVER_TABLES) >= 0 || SERVER_KEY.test(text)) throw new Error(`mcp_servers.${SERVER} in it is somebody else's.`);
    const made = `[mcp_servers.${SERVER}]\ncommand = ${JSON.stringify(launcher)}\nargs = ["mcp.js"]`;
    return `${text}${text === '' ? '' : '\n'}${tablesIn(now, launcher) || made}\n`;
  },
  take: (text, launcher, before) => {
    const left = tablesIn(text, launcher) ? text.replace(SERVER_TABLES, '') : text;
    return left.trimEnd() === before.trimEnd() ? before : left;
  },
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
    lacks: 'no notes after an error: its hooks do not get how a command ended',
  },
  gemini: { title: 'Gemini CLI', folder: '.gemini', files: [geminiSettings], afterwards: '', lacks: 'no notes before an edit' },
  opencode: {
    title: 'OpenCode',
    folder: '.config/opencode',
    files: [openCodePlugin],
    afterwards: '',
    lacks: 'no notes before an edit or after an error, and nothing that its plugin misses, such as sessions from before',
  },
  cursor: {
    title: 'Cursor',
    folder: '.cursor',
    files: [
      { ...cursorHooks, put: (text, launcher, now) => cursorHooks.put(text || '{\n  "version": 1\n}\n', launcher, now) },
      jsonFile('.cursor/mcp.json', (launcher) => [server(launcher)]),
    ],
    afterwards: 'Cursor reads its hooks when it starts: restart it.',
    lacks: 'no notes within a session, and nothing of sessions from before: Cursor gives neither',
  },
};

// What is written into an agent's own files, and taken out again: texts in, texts out.

export type AgentSetup = {
  title: string;
  /** Below the home: where it keeps its things. It is there if the agent is. */
  folder: string;
  files: SetupFile[];
  /** What a person has to do besides; empty mostly. */
  afterwards: string;
  lacks: string;
};

type SetupFile = {
  path: string;
  /** `text`: the file without us, '' if it is not there. `now`: as it is; what others have set for our server in it stays. */
  put: (text: string, launcher: string, now: string) => string;
  /** `before`: the file as it was without us. */
  take: (text: string, launcher: string, before: string) => string;
};

type Entry = { list: JSONPath; value: unknown } | { at: JSONPath; value: object };

function jsonFile(path: string, entriesFor: (launcher: string) => Entry[]): SetupFile {
  return {
    path,
    put: (text, launcher, now) =>
      entriesFor(launcher).reduce((left, entry) => {
        if ('list' in entry) return insert(left, entry.list, entry.value);
        if (valueIn(readValue(left), entry.at) !== undefined) throw new Error(`${entry.at.join('.')} in it is somebody else's.`);
        return put(left, entry.at, { ...Object(valueIn(readValue(now), entry.at)), ...entry.value });
      }, requireObject(text)),
    take: (text, launcher, before) =>
      findOurs(readValue(requireObject(text)), launcher).reduce((left, at) => removeUpwards(left, at, before), text),
  };
}

function requireObject(text: string): string {
  if (isObjectText(text)) return text;
  throw new Error('It is not a JSON object: correct it first.');
}

/** Our hooks and servers in the settings of any agent. From the end: what stands before it keeps its number. */
export function findOurs(file: Record<string, unknown>, launcher: string): JSONPath[] {
  const projects = Object.keys(Object(file.projects)).map((project) => ['projects', project]);
  const servers = [[], ...projects].map((above) => [...above, 'mcpServers', SERVER]);
  const groups = Object.entries(Object(file.hooks)).flatMap(([event, list]) =>
    (Array.isArray(list) ? list : []).map((_, at): JSONPath => ['hooks', event, at]),
  );
  return [...servers, ...groups].filter((path) => isOurs(valueIn(file, path), launcher)).reverse();
}

export function isOurs(value: unknown, launcher: string): boolean {
  const text = JSON.stringify(value ?? null);
  return [launcher, quoteWord(launcher)].some((word) => text.includes(JSON.stringify(word).slice(1, -1)));
}

const hookCommand = (launcher: string, command: string, agent: string): string =>
  [launcher, 'hook.js', command, agent].map(quoteWord).join(' ');
