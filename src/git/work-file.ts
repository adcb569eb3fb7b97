// A file of the work tree as it is now: its name in there, by which hash git would know it, and which lines it has.
import { realpathSync, type Stats } from 'node:fs';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import type { Action, SessionEvent } from '../core/event.ts';
import { relativePath } from '../core/project.ts';
import { readRegular } from '../regular-file.ts';
import { look } from './git-dir.ts';
import type { HashKind } from './identity.ts';

/** Relative to the root, with forward slashes; null when it lies outside or is no possible name. */
export function pathInTree(path: string, root: string, cwd: string = root): string | null {
  if (path === '' || path.includes('\0')) return null;
  const name = relativePath(path, root, cwd);
  return /^(?:\/|[A-Za-z]:)/.test(name) ? null : name;
}

export type WorkFile = {
  /** Git's hash of its bytes. Empty: it is not there. Null: it cannot be read, is too large, or is no file. */
  blob: string | null;
  /** The same with the line ends that git would store, where they are others. */
  stored: string | null;
  isFolder: boolean;
};

const MAX_BYTES = 4 * 1024 * 1024;

export function readWorkFile(path: string, kind: HashKind, stat: Stats | undefined = look(path)): WorkFile {
  if (!stat) return { blob: '', stored: '', isFolder: false };
  const bytes = stat.isDirectory() ? null : readWorkBytes(path);
  if (!bytes) return { blob: null, stored: null, isFolder: stat.isDirectory() };
  const blob = hashBlob(bytes, kind);
  const isCarried = bytes.includes('\r\n');
  const stored = isCarried ? hashBlob(Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'), kind) : blob;
  return { blob, stored, isFolder: false };
}

export function readWorkBytes(path: string): Buffer | null {
  try {
    return readRegular(path, MAX_BYTES);
  } catch {
    // Not ours to read, no regular file, or gone since we looked: how it is, is not known.
    return null;
  }
}

function hashBlob(bytes: Uint8Array, kind: HashKind): string {
  return new Bun.CryptoHasher(kind).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** By what a line of code is known again, however it is indented: ten hex digits; null for a line that says nothing by itself. */
export function markLine(line: string): string | null {
  const words = line.trim().replace(/\s+/g, ' ');
  return isTrivial(words) ? null : Bun.hash.xxHash64(words).toString(16).padStart(16, '0').slice(0, 10);
}

export const markLines = (text: string): Set<string> => new Set(text.split('\n').flatMap((line) => markLine(line) ?? []));

const FILLERS = new Set(['else', 'end', 'fi', 'done', 'esac', 'then', 'do', 'try', 'finally', 'return', 'break', 'continue', 'pass']);

/** A lone brace, an `else`, a rule of dashes: in any file, before and after any change. A number is what a change is often about. */
function isTrivial(words: string): boolean {
  if (words.length > 40) return false;
  const said = words.replace(/[^\p{L}\p{N}]+/gu, '');
  return !/\p{N}/u.test(said) && (said.length < 3 || FILLERS.has(said.toLowerCase()));
}

type Known = { stamp: string; isSettled: boolean; file: WorkFile; lines: ReadonlySet<string> | null };

const MOST_KNOWN = 1000;
/** Two changes so close to each other can have the same time on them. */
const SETTLED_MS = 50;

/** Looks at a file again only when its time, its size or its place on the disk is another. */
export function createWorkFiles({ clock }: { clock: () => number }) {
  const known = new Map<string, Known>();
  return {
    look(path: string, kind: HashKind): WorkFile {
      const stat = look(path);
      const stamp = stat ? `${kind} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.size} ${stat.ino}` : '';
      const before = known.get(path);
      if (before?.isSettled && before.stamp === stamp) return before.file;
      const file = readWorkFile(path, kind, stat);
      if (known.size >= MOST_KNOWN) known.clear();
      known.set(path, { stamp, isSettled: !stat || clock() - stat.ctimeMs > SETTLED_MS, file, lines: null });
      return file;
    },
    /** The marks of its lines; none when it cannot be read. */
    lines(path: string): ReadonlySet<string> {
      const entry = known.get(path);
      const lines = entry?.lines ?? markLines(readWorkBytes(path)?.toString('utf8') ?? '');
      if (entry) entry.lines = lines;
      return lines;
    },
  };
}

// Paths that lead into a work tree through links, spelled as the tree itself spells them.

/** As far as it is there; the rest is taken as it is written. */
export function withoutLinks(path: string): string {
  const missing: string[] = [];
  for (let known = path; ; known = dirname(known)) {
    try {
      return resolve(realpathSync(known), ...missing);
    } catch {
      // Not there, or not for us to see: what lies above it may be.
      if (dirname(known) === known) return path;
      missing.unshift(basename(known));
    }
  }
}

/** A file by its name in the tree, where only a link on the way to it hides that it lies in there. Else as it was given. */
export function spellInTree(path: string, root: string): string {
  if (!isAbsolute(path) || isIn(path, root)) return path;
  // A file that is itself a link keeps its name.
  const real = resolve(withoutLinks(dirname(path)), basename(path));
  return isIn(real, root) ? real : path;
}

/** The root itself, too. */
export function spellFolder(path: string, root: string): string {
  if (!isAbsolute(path) || isIn(path, root) || path === root) return path;
  const real = withoutLinks(path);
  return real === root || isIn(real, root) ? real : path;
}

const isIn = (path: string, root: string) => path.startsWith(`${root}/`);

/** The event with the paths of its work tree spelled so. */
export function spellEvent<T extends SessionEvent>(event: T, root: string): T {
  const cwd = spellFolder(event.cwd, root);
  if (event.kind !== 'tool') return cwd === event.cwd ? event : { ...event, cwd };
  const action = spellAction(event.action, { root, given: event.cwd, cwd });
  return { ...event, cwd, action };
}

function spellAction(action: Action, { root, given, cwd }: { root: string; given: string; cwd: string }): Action {
  switch (action.type) {
    case 'edit':
    case 'read':
      return { ...action, file: spellInTree(action.file, root) };
    case 'search': {
      const path = action.path && spellFolder(action.path, root);
      return { ...action, path, files: action.files.map((file) => spellInTree(file, root)) };
    }
    case 'command':
      return cwd === given ? action : { ...action, command: respell(action.command, given, cwd) };
    default:
      return action;
  }
}

/** In a command a path begins with a word. */
const respell = (command: string, from: string, to: string) =>
  command.replaceAll(`${from}/`, (found, at: number) => (/[\w./-]/.test(command[at - 1] ?? '') ? found : `${to}/`));
