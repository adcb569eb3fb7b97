// What a project is known by: its remote, its folders, and the settings that differ in it.

export type ProjectIdentity = {
  /** The normalised remote, else the canonical root. What a folder says of itself: see `asKnown` in src/projects/projects.ts. */
  key: string;
  name: string;
  /** The work tree's, of a part of it, too: paths begin there. */
  root: string;
  /** Where the repository itself lies, if this is another work tree of it. */
  mainRoot?: string;
  remote: string | null;
  /** Of a repository: when its folder was made, epoch ms; 0 when the disk does not say. */
  bornAt?: number;
  /** The folder of the repository that is a project of its own: `packages/a`. */
  part?: string;
  /** There is no repository, or none any more. */
  isPlain?: true;
};

/** `packages`, `packages/a`, `packages/a/src`: all on the way from the root to a folder in it. */
export function foldersUpTo(folder: string, root: string): string[] {
  if (!folder.startsWith(`${root}/`)) return [];
  const names = folder.slice(root.length + 1).split('/');
  return names.map((_, at) => names.slice(0, at + 1).join('/'));
}

export const asPart = (whole: ProjectIdentity, part: string): ProjectIdentity => ({
  ...whole,
  key: partKey(whole.key, part),
  name: `${whole.name}/${part}`,
  part,
});

export const partKey = (wholeKey: string, part: string) => `${wholeKey}#${part}`;

/** The key of the repository that this is a part of; null for one that is whole. A root may have a # in it, too. */
export function wholeKeyOf({ key, root }: { key: string; root: string }): string | null {
  if (key === root) return null;
  if (key.startsWith(`${root}#`)) return root;
  const at = key.indexOf('#');
  return at > 0 ? key.slice(0, at) : null;
}

/** A path, its longest, and a host that fits into a certificate. */
const LONGEST = 2048;

/**
 * ssh, https and scp-like addresses of one repository become the same text: host/path, in small letters, without user, port and .git.
 * Null for a local path, and for whatever two programs could read in two ways: then the repository counts as one without a remote.
 */
export function normaliseRemote(said: string): string | null {
  const address = said.trim();
  if (address.length > LONGEST || ODD.test(address)) return null;
  const parts = splitAddress(address);
  const host = parts && normaliseHost(parts.host);
  if (!host) return null;
  const path = parts.path.replace(/^\/+|\/+$/g, '').replace(/\.git$/i, '');
  if (path === '' || path.split('/').some((name) => DOTS.test(name))) return null;
  return `${host}/${path}`.toLowerCase();
}

/**
 * A backslash, a `?` or a `#` end the host for some programs and not for others; blanks and what cannot be seen hide the rest. None of
 * them is in an address that a forge gives out.
 */
const ODD = /[\s\\?#\p{C}]/u;
/** `.` and `..`, also as a server decodes them. */
const DOTS = /^(?:\.|%2e){1,2}$/i;

const WEB = /^(?:https?|ssh|git|ftps?|git\+ssh|ssh\+git|git\+https?):\/\/([^/]*)\/(.*)$/i;
/** `user@host:path`; what begins with a dash would be an option of the program that is given it. */
const SCP = /^(?:([^@/:[\]]+)@)?(\[[^\]/@]*\]|[^@/:[\]]+):(?!\/\/|:)(.+)$/;

function splitAddress(address: string): { host: string; path: string } | null {
  const web = WEB.exec(address);
  if (web) {
    const found = AUTHORITY.exec(web[1] ?? '');
    const isPort = found?.[2] === undefined || (Number(found[2]) > 0 && Number(found[2]) < 65_536);
    return found && isPort ? { host: found[1] ?? '', path: web[2] ?? '' } : null;
  }
  const scp = address.includes('://') ? null : SCP.exec(address);
  if (!scp || scp[1]?.startsWith('-')) return null;
  return { host: scp[2] ?? '', path: scp[3] ?? '' };
}

/** One user, one host, one port. */
const AUTHORITY = /^(?:(?!-)[^@[\]]*@)?(\[[^\]@]*\]|[^@:[\]]+)(?::(\d{1,5}))?$/;

/** A name or a number; the dot at the end of a whole name says nothing. */
function normaliseHost(host: string): string | null {
  if (host.startsWith('[')) return /^\[[0-9a-f:.]{2,45}\]$/i.test(host) ? host : null;
  const name = host.replace(/\.$/, '');
  return /^(?!-)[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*$/u.test(name) ? name : null;
}

/** File paths as the project knows them: relative to its root when inside it. */
export function relativePath(file: string, root: string, cwd: string): string {
  const path = normal(file.startsWith('/') || /^[A-Za-z]:[\\/]/.test(file) ? file : `${cwd}/${file}`);
  const base = normal(root);
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path;
}

export function normal(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..') {
      if (parts.length > 1) parts.pop();
    } else if (part !== '.' && !(part === '' && parts.length > 0)) parts.push(part);
  }
  return parts.join('/');
}

export type ProjectNames = {
  key: string;
  name: string;
  root: string;
  /** The root of the repository, where this work tree is another one of it. */
  mainRoot?: string | undefined;
  /** What else it goes by: keys and names from before, and those of the repository that it is a part of. */
  others?: readonly string[] | undefined;
};

/**
 * By its root goes before by that of its repository, that before by its key (the remote), that before by its name,
 * which another project may have, too, and that before by what else it goes by.
 */
export function settingsFor<Settings extends { projects: Readonly<Record<string, Partial<Settings>>> }>(
  settings: Settings,
  project: ProjectNames,
): Settings {
  const said = Object.entries(settings.projects)
    .map(([label, own]) => ({ rank: rankLabel(label, project), own }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => one.rank - other.rank);
  return said.length === 0 ? settings : Object.assign({}, settings, ...said.map(({ own }) => own));
}

/** How closely a label names the project; 0 when it names another. */
export function rankLabel(label: string, { key, name, root, mainRoot, others = [] }: ProjectNames): number {
  const isKey = label === key || isRemote(label, key);
  const isName = label.toLowerCase() === name.toLowerCase();
  // A part of a repository has its root, too: its own word goes before that of the whole.
  if ((isKey || isName) && wholeKeyOf({ key, root }) !== null) return 6;
  if (label === root) return 5;
  if (label === mainRoot) return 4;
  if (isKey) return 3;
  if (isName) return 2;
  return others.some((other) => label === other || isRemote(label, other)) ? 1 : 0;
}

/** A remote as people write it down: with capitals, or as git has it. A path is no remote. */
const isRemote = (label: string, key: string) =>
  !key.startsWith('/') && (label.toLowerCase() === key.toLowerCase() || normaliseRemote(label) === key);

/** Whether one of the patterns names the path, or a folder that it lies in. `root` is where relative patterns begin. */
type PathMatcher = (path: string, root: string) => boolean;

/**
 * `*.pem` and `secrets/`: a name, however deep. `secrets/**`, `config/*.env`, `./x`: from the root on. `/srv/x` and `~/x`: from the
 * top. `*` and `?` stay within a name, `**` does not, `[a-z]` is one of several. Large and small letters are the same.
 */
export function createPathMatcher(patterns: readonly string[], home: string): PathMatcher {
  const compiled = patterns.map((pattern) => compile(pattern, home));
  return (path, root) => {
    const [absolute, base] = [splitPath(path), splitPath(root)];
    const relative = base.every((name, at) => absolute[at] === name) ? absolute.slice(base.length) : null;
    return compiled.some(({ anchor, globs }) => {
      const names = anchor === 'top' ? absolute : anchor === 'root' ? relative : (relative ?? absolute);
      return names !== null && globs.some((glob) => glob.match(names.join('/')));
    });
  };
}

function compile(pattern: string, home: string): { anchor: 'top' | 'root' | 'anywhere'; globs: Bun.Glob[] } {
  const said = fold(pattern.trim());
  const text = said === '~' || said.startsWith('~/') ? fold(home) + said.slice(1) : said;
  const names = text.split('/').filter((name) => name !== '' && name !== '.');
  const isBareName = names.length === 1 && !text.startsWith('./');
  const anchor = /^(\/|[a-z]:)/.test(text) ? 'top' : isBareName || names[0] === '**' ? 'anywhere' : 'root';
  const own = (names.at(-1) === '**' ? names.slice(0, -1) : names).map(escapeName);
  const glob = [...(anchor === 'anywhere' ? ['**'] : []), ...own].join('/') || '**';
  // Whatever lies in a folder that is named is named, too.
  return { anchor, globs: [new Bun.Glob(glob), new Bun.Glob(`${glob}/**`)] };
}

/** What a glob would read more into than is meant: braces, `!`, a bracket that nothing closes. */
const escapeName = (name: string) => name.replace(/\\.|[{}]|^!|\[(?!.+?\])/g, (sign) => (sign.length > 1 ? sign : `\\${sign}`));

const splitPath = (path: string) =>
  normal(fold(path))
    .split('/')
    .filter((name) => name !== '');

/** One spelling: some systems write an accent as a letter of its own, some do not tell large from small. */
const fold = (text: string) => text.normalize('NFC').toLowerCase();

/** The folder of a work tree that one of the patterns names and that this one is, or lies in; of several the innermost. */
export function findPart(folder: string, root: string, patterns: readonly string[]): string | null {
  const folders = foldersUpTo(folder, root);
  const parts = patterns.flatMap((pattern) => {
    const isNamed = createPathMatcher([`./${pattern.replace(/^(\.?\/)+/, '')}`], '');
    return folders.find((one) => isNamed(`${root}/${one}`, root)) ?? [];
  });
  return parts.sort((one, other) => other.length - one.length)[0] ?? null;
}
