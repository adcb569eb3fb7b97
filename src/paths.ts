// Where things are. Built-ins only and no imports: the hook loads this on its hot path.

export type Paths = {
  dataDir: string;
  database: string;
  /** Vectors for search, made from the database; may be deleted at any time. */
  indexDatabase: string;
  /** Stands as long as there has been a database: an empty one beside it is a loss, not a beginning. */
  birthMark: string;
  /** Hooks: newline-separated JSON. */
  workerSocket: string;
  /** Everything else: HTTP. */
  httpSocket: string;
  /** What a program shows at the web door. */
  token: string;
  /** The port that the web door had last: an open page looks for it there. */
  webPort: string;
  ownerLock: string;
  /** Made by whoever starts a worker, so that twenty hooks start one. */
  startMarker: string;
  spool: string;
  logs: string;
  config: string;
  /** `{active, project, timestamp}`, for status bars. */
  activityFlag: string;
  /** Modes of the user's own. */
  modes: string;
  /** Where the observer's `claude` runs: empty, so that it finds nothing to read. */
  observerDir: string;
};

export function findPaths(dataDir = chooseDataDir()): Paths {
  return {
    dataDir,
    database: `${dataDir}/memory.db`,
    indexDatabase: `${dataDir}/index.db`,
    birthMark: `${dataDir}/memory.born`,
    workerSocket: `${dataDir}/worker.sock`,
    httpSocket: `${dataDir}/http.sock`,
    token: `${dataDir}/token`,
    webPort: `${dataDir}/web.port`,
    ownerLock: `${dataDir}/owner.lock`,
    startMarker: `${dataDir}/worker.starting`,
    spool: `${dataDir}/spool`,
    logs: `${dataDir}/logs`,
    config: `${dataDir}/config.json`,
    activityFlag: `${dataDir}/activity.flag`,
    modes: `${dataDir}/modes`,
    observerDir: `${dataDir}/observer`,
  };
}

function chooseDataDir(): string {
  const chosen = process.env.CLAUDE_MEM_DATA_DIR;
  if (chosen) {
    const path = normalPath(chosen.startsWith('~/') ? `${homeDir()}${chosen.slice(1)}` : chosen);
    if (!isInProject(path)) return path;
  }
  return `${homeDir()}/.claude-mem`;
}

/** A repository's settings set the environment of hooks; its memory must not end up in the repository. */
function isInProject(path: string): boolean {
  const project = normalPath(process.env.CLAUDE_PROJECT_DIR ?? '');
  return project !== '' && (path === project || path.startsWith(`${project}/`) || !/^\/|^[A-Za-z]:/.test(path));
}

/** Without `.`, `..`, doubled and closing slashes: what is compared must be spelled alike. */
function normalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && parts.length > 1) parts.pop();
    else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
  }
  return parts.join('/');
}

/** The user's own folder. */
export function homeDir(): string {
  const home = process.env.HOME ?? process.env.USERPROFILE;
  if (!home) throw new Error('HOME is not set, so there is no place for the data. Set HOME or CLAUDE_MEM_DATA_DIR.');
  return trimSlash(home);
}

const trimSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

/** The folder a host works in, else the one we were called in: a host's server may run elsewhere than its project. */
export function findProjectDir(): string {
  return process.env.CLAUDE_PROJECT_DIR || process.cwd();
}

/** The environment of our own observer's runs carries this mark: nothing is captured from them. */
export function isObserverRun(): boolean {
  return Boolean(process.env.CLAUDE_MEM_OBSERVER);
}

/** The user started this session with CLAUDE_MEM_INCOGNITO=1: nothing of it is kept, and it is told nothing. */
export function isIncognito(): boolean {
  return !/^(|0|false|no|off)$/i.test(process.env.CLAUDE_MEM_INCOGNITO ?? '');
}

/** The session that a command was called in, by the host's id. */
export function findCurrentSession(): string | null {
  return process.env.CLAUDE_CODE_SESSION_ID || null;
}

/** A browser that is opened here is seen by the person who asked: not over ssh, and not without a screen. */
export function hasScreen(): boolean {
  const { SSH_CONNECTION, SSH_TTY, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (SSH_CONNECTION || SSH_TTY) return false;
  return process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

/** Where the person's shell looks for commands. */
export function shellPath(): string {
  return process.env.PATH ?? '';
}

/** A program runs the session, not a person at a terminal. */
export function isUnattended(): boolean {
  return process.env.CLAUDE_CODE_ENTRYPOINT?.startsWith('sdk') === true;
}

/**
 * The environment of a worker that a hook starts. A repository's settings can set the environment of hooks, so
 * nothing that chooses a program, a provider, a key, an address or a file is passed on.
 */
export function workerEnvironment(dataDir: string): Record<string, string> {
  const names = ['PATH', 'HOME', 'USERPROFILE', 'LANG', ...(isZoneName(process.env.TZ ?? '') ? ['TZ'] : [])];
  return { ...pickEnvironment(names), CLAUDE_MEM_DATA_DIR: dataDir };
}

/** The clock that the user sees; a zone may also be a file by its path, which is not for a repository to choose. */
const isZoneName = (zone: string) => /^[\w+-][\w+\-/:]{0,63}$/.test(zone);

function pickEnvironment(names: string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = process.env[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
