// Where git keeps what it knows of a folder, found without asking it, and followed only where git would follow and the repository agrees.
import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { readRegular, SMALL_FILE } from '../regular-file.ts';

/** The user's own, those of root, and with root's rights those of whoever logged in. */
function isTrustedOwner(uid: number): boolean {
  const self = process.geteuid?.();
  return self === undefined || uid === self || uid === 0 || (self === 0 && uid === loginUid());
}

/** Who logged in before becoming root, by the kernel's word and not the environment's, which a repository can set. Null: not known. */
function loginUid(): number | null {
  try {
    return Number(readFileSync('/proc/self/loginuid', 'utf8'));
  } catch {
    // Not on this system.
    return null;
  }
}

/** The user has said so in their own settings of git, where a repository has no say. */
function namesSafe(workTree: string): boolean {
  let isSafe = false;
  for (const path of ['/etc/gitconfig', `${homeOf()}/.config/git/config`, `${homeOf()}/.gitconfig`])
    for (const said of listSafe(path)) {
      // An empty one takes back all that came before.
      if (said === '') isSafe = false;
      else if (said === '*' || said === workTree || isBelow(workTree, said)) isSafe = true;
    }
  return isSafe;
}

const isBelow = (workTree: string, said: string) => said.endsWith('/*') && workTree.startsWith(said.slice(0, -1));

/** By the system's list of users: HOME is the environment's word. */
const homeOf = () => process.getBuiltinModule('node:os').userInfo().homedir;

function listSafe(path: string): readonly string[] {
  try {
    return parseGitConfig(readRegular(path).toString('utf8'))?.get('safe.directory') ?? [];
  } catch {
    // There is none.
    return [];
  }
}

type GitDir = {
  path: string;
  workTree: string;
  /** Where the repository itself is: its work trees share it, so all of them are one project. A submodule is its own. */
  commonDir: string;
};

export const findGitDir = (start: string): GitDir | null => lookUp(start).git;

/** `root`: the folder that counts where there is no repository, or one that is not followed. */
type Found = { git: GitDir; root: string } | { git: null; root: string };

/** From a folder upwards, as git does it. */
export function lookUp(start: string): Found {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = lookAt(folder);
    // Git refuses to go on at what somebody else has put above us. To us it is as if the folder had none.
    if (found === 'foreign') return { git: null, root: start };
    if (found === 'refused') return { git: null, root: folder };
    if (found) return { git: found, root: folder };
    if (dirname(folder) === folder) return { git: null, root: start };
  }
}

/** Null: nothing of git's is there. */
function lookAt(workTree: string): GitDir | 'foreign' | 'refused' | null {
  const path = `${workTree}/.git`;
  const own = lookAtLink(path);
  const there = own?.isSymbolicLink() ? look(path) : own;
  if (!own || (!there?.isDirectory() && !there?.isFile())) return null;
  if (there.isDirectory() && !isGitDir(path)) return null;
  if (!areTrusted([own, there, look(workTree)], workTree)) return 'foreign';
  // Mostly: the repository lies in the folder itself, and says of no other that it is its own.
  if (own.isDirectory()) return look(`${path}/commondir`) ? 'refused' : { path, workTree, commonDir: path };
  const target = there.isDirectory() ? path : readLink(path);
  return (target === null ? null : follow(workTree, canonical(target))) ?? 'refused';
}

/** `gitdir: PATH`, and nothing else. */
function readLink(path: string): string | null {
  const target = /^gitdir: ([^\n\0]+)[\r\n]*$/.exec(readText(path) ?? '')?.[1]?.replace(/\r+$/, '');
  return target ? resolve(dirname(path), target) : null;
}

/** A folder of git's that says itself, by where it lies or what it holds, that it belongs to this work tree. */
function follow(workTree: string, path: string): GitDir | null {
  if (!areTrusted([look(path)], workTree)) return null;
  if (look(`${path}/commondir`)) return followWorkTree(workTree, path);
  if (!isGitDir(path)) return null;
  const isOwn = path.startsWith(`${workTree}/`) || namesWorkTree(path, workTree);
  return isOwn ? { path, workTree, commonDir: path } : null;
}

/** One of several work trees: `<repository>/worktrees/<name>` names the repository, and where the work tree is. */
function followWorkTree(workTree: string, path: string): GitDir | null {
  const common = readText(`${path}/commondir`)?.trim();
  const back = readText(`${path}/gitdir`)?.trim();
  if (!common || !back || !look(`${path}/HEAD`)?.isFile()) return null;
  const commonDir = canonical(resolve(path, common));
  if (dirname(path) !== `${commonDir}/worktrees` || !isGitDir(commonDir)) return null;
  const isBack = canonical(resolve(path, back)) === `${workTree}/.git`;
  return isBack && areTrusted([look(commonDir)], workTree) ? { path, workTree, commonDir } : null;
}

function namesWorkTree(path: string, workTree: string): boolean {
  return ['config', 'config.worktree'].some((name) => {
    const config = parseGitConfig(readText(`${path}/${name}`) ?? '');
    const named = config?.get('core.worktree')?.at(-1);
    return named !== undefined && canonical(resolve(path, named)) === workTree;
  });
}

/** By the parts that git looks for. */
const isGitDir = (path: string) =>
  look(`${path}/HEAD`) !== undefined && look(`${path}/objects`)?.isDirectory() === true && look(`${path}/refs`)?.isDirectory() === true;

/** All are the user's own, as git asks for it; or the user has told git that the work tree is safe. */
const areTrusted = (files: (Stats | undefined)[], workTree: string): boolean =>
  files.every((file) => file !== undefined && isTrustedOwner(file.uid)) || namesSafe(workTree);

/** Without links, as far as it is there. */
export function canonical(path: string): string {
  // The system would take it for the folder of this very process.
  if (path === '') return '/';
  try {
    return realpathSync(path);
  } catch {
    // A folder that is gone, or was on another machine: its name is all there is.
    return isAbsolute(path) ? resolve(path) : path;
  }
}

/** Nothing there, not allowed to look, or no possible name: all the same here. */
export function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function lookAtLink(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Null: not there, not readable, no regular file, or too large to be what git writes: the folder counts as having none. */
export function readText(path: string, mostBytes = SMALL_FILE): string | null {
  try {
    return readRegular(path, mostBytes).toString('utf8');
  } catch {
    return null;
  }
}

// A file of git's settings, read as git reads it. Files that it includes are not: nothing we ask of it needs them.

/** The values of each setting in the order they stand in: `remote.origin.url`; section and name in small letters. */
export type GitConfig = ReadonlyMap<string, readonly string[]>;

/** Null for what git would refuse. */
export function parseGitConfig(text: string): GitConfig | null {
  const config = new Map<string, string[]>();
  const cursor = { text: text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n'), at: 0 };
  let section = '';
  for (;;) {
    while (take(cursor, /\s+/y) !== null || take(cursor, /[#;][^\n]*/y) !== null);
    if (cursor.at >= cursor.text.length) return config;
    const header = readHeader(cursor);
    if (header === undefined) return null;
    if (header !== null) {
      section = `${header}.`;
      continue;
    }
    const name = take(cursor, /[A-Za-z][A-Za-z0-9-]*/y)?.toLowerCase();
    const value = name === undefined ? null : readValue(cursor);
    if (value === null) return null;
    const values = config.get(`${section}${name}`);
    if (values) values.push(value);
    else config.set(`${section}${name}`, [value]);
  }
}

type Cursor = { text: string; at: number };

/** Null when it does not go on like that. */
function take(cursor: Cursor, pattern: RegExp): string | null {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0];
  if (found === undefined) return null;
  cursor.at += found.length;
  return found;
}

/** `[section]`, `[section "Sub"]`, and as it was once written: `[section.sub]`. Null when there is none, undefined when it is wrong. */
function readHeader(cursor: Cursor): string | null | undefined {
  if (cursor.text[cursor.at] !== '[') return null;
  const header = take(cursor, /\[[A-Za-z0-9.-]+(?:[ \t]+"(?:[^"\\\n]|\\[^\n])*")?\]/y);
  if (header === null) return undefined;
  const [, name = '', sub] = /^\[([A-Za-z0-9.-]+)(?:[ \t]+"(.*)")?\]$/s.exec(header) ?? [];
  return sub === undefined ? name.toLowerCase() : `${name.toLowerCase()}.${sub.replace(/\\(.)/gs, '$1')}`;
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t', b: '\b', '"': '"', '\\': '\\', '\n': '' };

/** What follows a name: nothing, which means true, or `=` and a value to the end of its line. Null when it is wrong. */
function readValue(cursor: Cursor): string | null {
  take(cursor, /[ \t]*/y);
  if (cursor.at >= cursor.text.length || take(cursor, /\n/y) !== null) return 'true';
  if (take(cursor, /=[ \t]*/y) === null) return null;
  let [value, kept, isQuoted] = ['', 0, false];
  for (; cursor.at < cursor.text.length; cursor.at++) {
    const letter = cursor.text[cursor.at] ?? '';
    if (letter === '\n') break;
    if (letter === '"') isQuoted = !isQuoted;
    else if (letter === '\\') {
      const escaped = ESCAPES[cursor.text[++cursor.at] ?? ''];
      if (escaped === undefined) return null;
      value += escaped;
    } else if (!isQuoted && (letter === '#' || letter === ';')) {
      take(cursor, /[^\n]*/y);
      break;
    } else value += letter;
    // Blanks at the end do not belong to it, but where they are quoted.
    if (isQuoted || letter === '"' || !/\s/.test(cursor.text[cursor.at] ?? '')) kept = value.length;
  }
  return isQuoted ? null : value.slice(0, kept);
}
