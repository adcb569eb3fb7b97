// Our own files in the data dir: read and written only where they are what they seem. No link is followed, and another
// user's folder is left alone.
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Paths } from './paths.ts';

export function requireOwn(paths: Paths): void {
  const problem = describeForeign(paths);
  if (problem !== null) throw new Error(problem);
}

/** For a hook: those that it writes to. What else may be wrong, the worker says, and the event is kept. */
export function requireOwnFolders({ dataDir, spool, privateMarks }: Paths): void {
  const problem = describeForeignFolder(dataDir) ?? describeOne(spool) ?? describeOne(privateMarks);
  if (problem !== null) throw new Error(problem);
}

/** Whose the data dir is, or what in it leads elsewhere, and what to do. Null when all of it is this user's own. */
export function describeForeign(paths: Paths): string | null {
  return describeForeignFolder(paths.dataDir) ?? listOwn(paths).map(describeOne).find(Boolean) ?? null;
}

/** It may be a link, which its person made; its owner counts. */
export function describeForeignFolder(dataDir: string): string | null {
  const folder = look(statSync, dataDir);
  const owner = folder && otherOwner(folder);
  if (!owner) return null;
  const self = nameOf(process.getuid?.() ?? 0);
  return (
    `The data dir ${dataDir} belongs to ${owner}, and this is ${self}: ` +
    `another user's memory is not touched. Run this as ${owner}, or set CLAUDE_MEM_DATA_DIR to a folder ` +
    'of your own.'
  );
}

/** The same of one file or folder. */
function describeOne(path: string): string | null {
  const found = look(lstatSync, path);
  if (found === null) return null;
  if (found.isSymbolicLink()) return `${path} is a link, and claude-mem follows none to its own files. Remove it: rm '${path}'`;
  if (found.isFIFO() || found.isCharacterDevice() || found.isBlockDevice())
    return `${path} is a pipe or a device, and no file of claude-mem. Remove it: rm '${path}'`;
  const owner = otherOwner(found);
  return owner ? `${path} belongs to ${owner}. Move it away, or have it given to you: sudo chown -R "$USER" '${path}'` : null;
}

export function readOwnFile(path: string): string {
  // Not waiting: a pipe in its place would keep us for ever.
  const file = openUnlinked(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(file).isFile()) throw new Error('it is not a file');
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

/** Whole or not at all, and in the place of whatever is there. */
export function writeOwnFile(path: string, text: string): void {
  const part = `${path}.${process.pid}.part`;
  rmSync(part, { force: true });
  writeFileSync(part, text, { mode: 0o600, flag: 'wx' });
  renameSync(part, path);
}

export function appendToOwnFile(path: string, text: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT } = constants;
  const file = openUnlinked(path, O_WRONLY | O_APPEND | O_CREAT);
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

/** In a folder that is there: a data dir that was removed is not to come back. */
export function makeOwnFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Made before, or by another just now.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** What lies in a folder, by name; nothing where there is none. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing was put there yet, or it went away just now.
    return [];
  }
}

/** In bytes; 0 where there is none. */
export const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Below this nothing new is kept: the rest is for what makes room and for what has to be said. More than the ballast,
 * so that nothing eats that.
 */
export const RESERVED_BYTES = 6 * 1024 * 1024;

/** Bytes and files that this user can still write where a folder lies. A system that does not count files has any number. */
export function readRoom(folder: string): { bytes: number; files: number } {
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  return { bytes: bavail * bsize, files: files === 0 ? Number.POSITIVE_INFINITY : ffree };
}

/** Throws like a full disk, a little before it is. */
export function requireRoom(folder: string): void {
  const { bytes } = readRoom(folder);
  if (bytes >= RESERVED_BYTES) return;
  const said = `the disk is full (${(bytes / 1e6).toFixed(1)} MB free; nothing is kept below ${(RESERVED_BYTES / 1e6).toFixed(1)} MB)`;
  throw Object.assign(new Error(said), { code: 'ENOSPC' });
}

function openUnlinked(path: string, flags: number): number {
  try {
    return openSync(path, flags | (constants.O_NOFOLLOW ?? 0), 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ELOOP')) throw error;
    throw new Error('it is a link, and none is followed to our own files', { cause: error });
  }
}

/** All but the token: one that is not ours alone is replaced by a new one (server/http/token.ts), never given back. */
function listOwn({ dataDir, token: _token, ...paths }: Paths): string[] {
  const databases = [paths.database, paths.indexDatabase, paths.ownerLock];
  const beside = databases.flatMap((path) => [`${path}-wal`, `${path}-shm`, `${path}-journal`]);
  return [...Object.values(paths), ...beside, `${paths.spool}/bad`, `${dataDir}/plugin`].filter((path) => path.startsWith(`${dataDir}/`));
}

function look(stat: typeof statSync | typeof lstatSync, path: string): Stats | null {
  try {
    return stat(path);
  } catch {
    // Not there, or not for us to see: whoever opens it hears why.
    return null;
  }
}

/** Null: it is ours, or nobody has one here (Windows). */
function otherOwner({ uid }: Stats): string | null {
  return process.getuid && uid !== process.getuid() ? nameOf(uid) : null;
}

function nameOf(uid: number): string {
  const line = new RegExp(`^([^:]+):[^:]*:${uid}:`, 'm');
  try {
    return line.exec(readFileSync('/etc/passwd', 'utf8'))?.[1] ?? `user ${uid}`;
  } catch {
    return `user ${uid}`;
  }
}

/** What SQLite puts beside a database. */
const SUFFIXES = ['', '-wal', '-shm', '-journal'];
const RANDOM = '[a-zA-Z0-9]'.repeat(6);
/** Logs, and what a run that was killed left of a printed export or of another program's database. */
const LEFT_BEHIND = ['logs/worker-*.log*', `export-${RANDOM}/*memory.jsonl*`, `peer-copy-${RANDOM}/claude-mem.db*`];

/** To be called when no worker runs. Another product may share the folder: only what is ours goes. */
export function removeOwnFiles({ dataDir, logs, ...own }: Paths): void {
  const inside = Object.values(own).filter((path) => path.startsWith(`${dataDir}/`));
  for (const path of inside.flatMap((one) => SUFFIXES.map((suffix) => one + suffix))) rmSync(path, { recursive: true, force: true });
  const left = LEFT_BEHIND.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: dataDir, dot: true, absolute: true })]);
  for (const path of left) rmSync(path);
  for (const folder of new Set([...left.map(dirname), logs, dataDir])) removeIfEmpty(folder);
}

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else has something in it, it is a file, or it is gone already.
  }
}
