// Where things are. Built-ins only: the hook loads this on its hot path.
import { AGENT_VARIABLES, SESSION_VARIABLES } from './agents/variables.ts';
import { readRegular } from './regular-file.ts';

const WORKER_SOCKET = 'worker.sock';

/** By what each is known, and what it is called in the data dir. */
const FILES = {
  database: 'memory.db',
  /** Vectors for search, made from the database; may be deleted at any time. */
  indexDatabase: 'index.db',
  /** Stands as long as there has been a database: an empty one beside it is a loss, not a beginning. */
  birthMark: 'memory.born',
  /** A hash of every page of the database; how far it was at least; what is known of damage to it. */
  pageSums: 'memory.sums',
  mark: 'memory.mark',
  damage: 'memory.damage',
  /** What repairs brought back and what is missing since, until somebody has heard of it. */
  repaired: 'memory.repaired',
  /** Verified copies of the database. */
  backups: 'backups',
  /** Hooks: newline-separated JSON. Everything else: HTTP. */
  workerSocket: WORKER_SOCKET,
  httpSocket: 'http.sock',
  token: 'token',
  /** The port that the HTTP server had last: an open page looks for it there. */
  webPort: 'web.port',
  viewerLinks: 'viewer.links',
  ownerLock: 'owner.lock',
  /** The process that has the lock, for whoever cannot ask it. */
  ownerPid: 'owner.pid',
  /** Room that is given back when the disk is full. */
  ballast: 'ballast',
  /** One byte for each event that could not be kept anywhere, after a first one that holds its place on the disk. */
  notKept: 'not-kept',
  /** Made by whoever starts a worker, so that twenty hooks start one. */
  startMarker: 'worker.starting',
  spool: 'spool',
  /** One empty file for each private prompt: what lies under it is not spooled. */
  privateMarks: 'spool/private',
  logs: 'logs',
  config: 'config.json',
  /** Which hub, as whom, with which key. */
  sync: 'sync.json',
  /** `{active, project, timestamp}`, for status bars. */
  activityFlag: 'activity.flag',
  /** Modes of the user's own. */
  modes: 'modes',
  /** Where the observer's `claude` runs: empty, so that it finds nothing to read. */
  observerDir: 'observer',
};

export type Paths = { dataDir: string } & Record<keyof typeof FILES, string>;

export const socketOf = (dataDir: string): string => `${dataDir}/${WORKER_SOCKET}`;

export function findPaths(dataDir = findDataDir()): Paths {
  const all = Object.entries(FILES).map(([name, file]) => [name, `${dataDir}/${file}`]);
  return { dataDir, ...Object.fromEntries(all) };
}

/** What `install` has written down counts before HOME, and the person's own variable before both. */
export function findDataDir(): string {
  const chosen = ownVariable('CLAUDE_MEM_DATA_DIR');
  if (chosen) {
    const path = chosen.startsWith('~/') ? `${homeDir()}${chosen.slice(1)}` : chosen;
    const projects = projectFolders();
    if (isWhole(path) && !isInProject(path, projects, findRepository(realPath(path)))) return trimSlash(path);
    if (projects.length === 0) return trimSlash(`${callingFolder()}/${path}`);
  }
  return process.env.CLAUDE_MEM_INSTALLED || `${homeDir()}/.claude-mem`;
}

/** The data dir that `install` has written down, where the environment says nothing about it nor about silence; else null. */
export function installedDataDir(): string | null {
  const { env } = process;
  return env.CLAUDE_MEM_DATA_DIR || env.CLAUDE_MEM_OBSERVER || env.CLAUDE_MEM_INCOGNITO ? null : env.CLAUDE_MEM_INSTALLED || null;
}

/**
 * The user's own folder: HOME as the person set it, for tests and containers, too. What the repository's settings set, what leads into the
 * repository, and what is another place for every process gives way to the home that the system knows.
 */
export function homeDir(): string {
  const projects = projectFolders();
  const said = HOMES.map((name) => ownVariable(name, projects)).find(Boolean) || '';
  // Inside an agent a repository may have hidden it; elsewhere it is the person's own to say.
  const otherwise = () => (projects.length > 0 ? knownHome() : null);
  const home = isWhole(said) && !isInProject(said, projects) ? said : otherwise();
  if (!home) throw new Error('HOME is not set, so there is no place for the data. Set HOME or CLAUDE_MEM_DATA_DIR.');
  return trimSlash(home);
}

const trimSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
/** From the root; not by way of the process that looks, which is somewhere else each time. */
const isWhole = (path: string) => /^\/(?!(?:\.?\/)*(?:proc|dev\/fd)\/)|^[A-Za-z]:/.test(path);

/** As the system has it, whatever the environment says. Asked of a shell: Bun's own answer is the variable HOME. Costs a process. */
function knownHome(): string | null {
  const ask = 'n=$(id -un) && case $n in *[!A-Za-z0-9_.-]* | "" | -*) ;; *) eval "printf %s ~$n" ;; esac';
  const { stdout } = Bun.spawnSync(['/bin/sh', '-c', ask], { env: { PATH: '/usr/bin:/bin' }, stderr: 'ignore' });
  const home = stdout.toString();
  // Null for a user whom the system does not know, as in some containers.
  return home.startsWith('/') ? home : null;
}

/**
 * A repository's settings set the environment of hooks, servers and shells; its memory must not end up in the repository.
 * `alsoIn`: another folder that counts as one, so that one clone does not send it into another.
 */
function isInProject(path: string, projects: string[], alsoIn: string | null = null): boolean {
  if (projects.length === 0) return false;
  const all = alsoIn === null ? projects : [...projects, alsoIn];
  const folders = all.filter((folder) => isInside(realPath(path), folder));
  if (folders.length === 0) return false;
  // Somebody at work in their own home has that as their project, and all that is theirs lies in it; so does what their agent keeps.
  const { HOME = '/', CLAUDE_PLUGIN_DATA = '/' } = process.env;
  const [known, home, kept] = [knownHome() ?? '/', HOME, CLAUDE_PLUGIN_DATA].map(realPath) as [string, string, string];
  const theirs = isInside(kept, home) ? [known, kept] : [known];
  return folders.some((folder) => !theirs.some((path) => isInside(path, folder)));
}

const isInside = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** What an agent works on, by its own word and by where it called us; none where a person called us. Without links. */
function projectFolders(): string[] {
  if (!AGENT_VARIABLES.some((name) => process.env[name])) return [];
  const here = realPath(callingFolder());
  const folders = [process.env.CLAUDE_PROJECT_DIR ?? '', findRepository(here) ?? here];
  return folders
    .filter(isWhole)
    .map(realPath)
    .filter((folder) => folder !== '/');
}

function findRepository(folder: string): string | null {
  for (let path = folder; path !== ''; path = path.slice(0, path.lastIndexOf('/'))) {
    if (Bun.file(`${path}/.git`).size > 0) return path;
  }
  return null;
}

/** Without links, as far as it exists. By way of the process's own folder: node:fs would cost a hook a third of its time. */
function realPath(path: string): string {
  const before = process.cwd();
  try {
    // A link may lead to wherever the process is: for us that is where we were called.
    if (isWhole(callingFolder())) enter(callingFolder());
    process.chdir(path);
    return process.cwd();
  } catch {
    // Not there yet, or no folder: where it would be.
    const cut = path.lastIndexOf('/');
    const [above, name] = [path.slice(0, cut), path.slice(cut + 1)];
    if (cut < 0) return path;
    const real = realPath(above || '/');
    if (name === '..') return real.slice(0, real.lastIndexOf('/')) || '/';
    return name === '' || name === '.' ? real : `${real === '/' ? '' : real}/${name}`;
  } finally {
    process.chdir(before);
  }
}

/** What the person set: what files of the repository at hand set by the same name does not count. */
function ownVariable(name: string, projects?: string[]): string | undefined {
  const value = process.env[name];
  if (!value) return value;
  const folders = projects ?? projectFolders();
  const isSet = (all: string[], files: string[], sets: (text: string, name: string) => boolean) =>
    all.flatMap((folder) => files.map((file) => `${folder}/${file}`)).some((file) => setsVariable(file, name, sets) && !isPersons(file));
  const isTheirs =
    isSet(folders, SETTINGS_FILES, setsInSettings) ||
    // These set only what is not set yet, as HOME always is, or what our hooks do not have.
    (!HOMES.includes(name) && isSet(foldersAbove(folders), OTHER_FILES, setsAnywhere));
  return isTheirs ? undefined : value;
}

const HOMES = ['HOME', 'USERPROFILE'];
const SETTINGS_FILES = ['.claude/settings.json', '.claude/settings.local.json'];
/** Gemini CLI and Qwen Code read the nearest .env above them, Bun those of its folder; the others are for shells and servers. */
const OTHER_FILES = [
  ...['.env', '.env.local', '.env.development', '.env.production', '.gemini/.env', '.qwen/.env'],
  ...['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json', '.vscode/settings.json', '.gemini/settings.json', '.qwen/settings.json'],
  ...['.codex/config.toml', 'opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
];

/** Where an agent was called, each folder above it up to the repository's, and the project that it names. */
function foldersAbove(projects: string[]): string[] {
  const all = new Set(projects);
  for (let folder = realPath(callingFolder()); projects.some((root) => isInside(folder, root)); folder = folder.replace(/\/[^/]*$/, ''))
    all.add(folder);
  return [...all];
}

/** Somebody at work in their own home has their own files there. */
const isPersons = (file: string) =>
  [...SETTINGS_FILES, ...OTHER_FILES].some((one) => isInside(realPath(file), realPath(`${knownHome() ?? '/'}/${one.split('/')[0]}`)));

/** Read for each variable of ours that is set; of a larger one JSON.parse alone could take half a second. */
const MOST_SETTINGS_BYTES = 256 * 1024;

function setsVariable(file: string, name: string, sets: (text: string, name: string) => boolean): boolean {
  if (Bun.file(file).size === 0) return false;
  try {
    return sets(readRegular(file, MOST_SETTINGS_BYTES).toString(), name);
  } catch (error) {
    // What is too large for us an agent may still read; what is no file, or not to be read, nobody can.
    return (error as NodeJS.ErrnoException).code === 'EFBIG';
  }
}

function setsInSettings(text: string, name: string): boolean {
  try {
    return Object.hasOwn(JSON.parse(text).env ?? {}, name);
  } catch {
    // Whoever can read it may see more in it than we do.
    return spellOut(text).includes(name);
  }
}

/** As a variable or a key of JSON or TOML. What stands before it is not searched for: among blank lines that took for ever. */
const setsAnywhere = (text: string, name: string) => new RegExp(`(?<!\\w|\\$\\{?|# ?)${name}["']?\\s*[=:]`).test(spellOut(text));

/** A key may be spelled by the numbers of its letters. */
const spellOut = (text: string) =>
  text.replace(/\\(?:x|u00|U000000)([2-7][\da-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The folder a host works in, else the one we were called in: a host's server may run elsewhere than its project. */
const findProjectDir = (): string => process.env.CLAUDE_PROJECT_DIR || callingFolder();

/** Where whoever called us is. Bun itself is started among our own files; bin/start-bun says where it was called. */
function callingFolder(): string {
  return process.env.CLAUDE_MEM_FOLDER || process.cwd();
}

function enter(folder: string): void {
  try {
    process.chdir(folder);
  } catch {
    // It was removed under them: where no project is.
    process.chdir('/');
  }
}

/** For a command: from here on the process is where its person is, so that what they name is found. */
export function enterCallingFolder(): void {
  const folder = process.env.CLAUDE_MEM_FOLDER;
  if (!folder) return;
  delete process.env.CLAUDE_MEM_FOLDER;
  enter(folder);
}

/** The environment of our own observer's runs carries this mark: nothing is captured from them. */
export function isObserverRun(): boolean {
  return Boolean(ownVariable('CLAUDE_MEM_OBSERVER'));
}

/** The user started this session with CLAUDE_MEM_INCOGNITO=1: nothing of it is kept, and it is told nothing. */
export function isIncognito(): boolean {
  return !/^(|0|false|no|off)$/i.test(ownVariable('CLAUDE_MEM_INCOGNITO') ?? '');
}

/** The session that a command was called in, by the host's id. */
export function findCurrentSession(): string | null {
  return SESSION_VARIABLES.map((name) => ownVariable(name)).find(Boolean) ?? null;
}

/** Who an agent is, for the worker to know which project is its own. */
export const findAgentPlace = (): { session: string | null; folder: string; cwd: string } => ({
  session: findCurrentSession(),
  folder: callingFolder(),
  cwd: findProjectDir(),
});

export const shellPath = (): string => process.env.PATH ?? '';

/** Whether somebody sees what is written to stderr. The launcher says so: here it would cost a hook as much as all else. */
export const isSeen = (): boolean => process.env.CLAUDE_MEM_TERMINAL === '1';

/** Whether stdin is a socket, as agents make it. The launcher says so. */
export const isStdinSocket = (): boolean => process.env.CLAUDE_MEM_STDIN === 'socket';

/** https://no-color.org, and terminals that know no colours. */
export const wantsPlain = (): boolean => Boolean(process.env.NO_COLOR) || process.env.TERM === 'dumb';

/** A program runs the session, not a person at a terminal. */
export function isUnattended(): boolean {
  return process.env.CLAUDE_CODE_ENTRYPOINT?.startsWith('sdk') === true;
}

/**
 * The environment of a worker that a hook starts. A repository's settings can set the environment of hooks, so
 * nothing that chooses a program, a provider, a key, an address or a file is passed on.
 */
export function workerEnvironment(dataDir: string): Record<string, string> {
  const names = ['PATH', 'USERPROFILE', 'LANG', ...(isZoneName(process.env.TZ ?? '') ? ['TZ'] : [])];
  return { ...pickEnvironment(names), HOME: homeDir(), CLAUDE_MEM_DATA_DIR: dataDir };
}

/** The clock that the user sees; a zone may also be a file by its path, which is not for a repository to choose. */
const isZoneName = (zone: string) => /^[\w+-][\w+\-/:]{0,63}$/.test(zone);

function pickEnvironment(names: string[]): Record<string, string> {
  const set = names.map((name) => [name, process.env[name]]).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set);
}
