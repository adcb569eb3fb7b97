// Opens the database of the original claude-mem so that nothing beside it or in it is ever written.
import { constants, Database } from 'bun:sqlite';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { chmod, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AskError } from '../core/ask-error.ts';
import { readPiece } from '../regular-file.ts';
import { APPLICATION_ID } from '../store/open.ts';
import { hasOriginalTables } from './original-tables.ts';

type OriginalFile = {
  db: Database;
  /** Somebody wrote to it since it was opened: what was read may be half of the old and half of the new. */
  hasChanged: () => boolean;
  close: () => void;
};

const FILE_NAME = 'claude-mem.db';

/**
 * As it stands, if all of it is in the one file. What its owner has not yet put into that file lies in a log beside it, and SQLite
 * reads a log only with files of its own around it: then a copy is opened, below `workDir`, that has no name any more once it is open.
 */
export async function openOriginal(given: string, workDir: string): Promise<OriginalFile> {
  removeLeftovers(workDir);
  const path = findFile(given);
  checkHead(path);
  const before = describeFiles(path);
  const isAlone = sizeOf(`${path}-wal`) === 0 && sizeOf(`${path}-journal`) === 0;
  const db = isAlone ? openStill(path) : await openCopy(path, workDir);
  const file = { db, hasChanged: () => isAlone && describeFiles(path) !== before, close: () => db.close(true) };
  try {
    db.run('PRAGMA trusted_schema = OFF');
    if (hasOriginalTables(db)) return file;
  } catch (cause) {
    file.close();
    throw damaged(path, cause);
  }
  file.close();
  throw new AskError('invalid', `${path} holds no memories of another claude-mem.`, HINT);
}

const HINT = `Give the ${FILE_NAME} of the other program: it usually lies in ~/.claude-mem.`;

export const damaged = (path: string, cause: unknown) =>
  new AskError(
    'invalid',
    `${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
    'It may be damaged: sqlite3 FILE ".recover" writes what is left of it into a new one.',
  );

/** The file itself: its log lies beside it, not beside a link to it. */
function findFile(given: string): string {
  try {
    const path = realpathSync(given);
    return statSync(path).isDirectory() ? realpathSync(join(path, FILE_NAME)) : path;
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause && cause.code !== 'ENOENT' ? ` (${cause.code})` : '';
    throw new AskError('unknown', `There is no database at ${given}${reason}.`, HINT);
  }
}

const MAGIC = 'SQLite format 3\0';
const HEAD_BYTES = 100;
const APPLICATION_ID_AT = 68;

function checkHead(path: string): void {
  const head = Buffer.alloc(HEAD_BYTES);
  readPiece(path, HEAD_BYTES).copy(head);
  if (head.subarray(0, MAGIC.length).toString('latin1') !== MAGIC) throw new AskError('invalid', `${path} is no SQLite database.`, HINT);
  if (head.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID)
    throw new AskError(
      'invalid',
      `${path} is a database of this claude-mem, not of another one.`,
      'Use claude-mem export where it is from, and claude-mem import of that file here.',
    );
}

/** `immutable`: no lock is taken, no file made beside it, and a folder that nobody may write to is no hindrance. */
function openStill(path: string): Database {
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  try {
    return new Database(`${pathToFileURL(path).href}?immutable=1&mode=ro`, flags);
  } catch (cause) {
    throw damaged(path, cause);
  }
}

const COPY_PREFIX = 'peer-copy-';

async function openCopy(path: string, workDir: string): Promise<Database> {
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(workDir, COPY_PREFIX));
  try {
    const copy = join(folder, FILE_NAME);
    await copyTogether(path, copy);
    const db = new Database(copy, { readwrite: true, create: false });
    // Alone with it, SQLite keeps the index of the log in memory; then the log goes into the copy.
    db.run('PRAGMA locking_mode = EXCLUSIVE');
    db.run('PRAGMA synchronous = OFF');
    db.run('PRAGMA journal_mode = DELETE');
    db.run('PRAGMA query_only = ON');
    return db;
  } catch (cause) {
    throw cause instanceof AskError ? cause : damaged(path, cause);
  } finally {
    // Open files live on without a name: killed at any time from here on, we leave nothing behind.
    rmSync(folder, { recursive: true, force: true });
  }
}

const MOST_TRIES = 3;

/** The file and its log belong together: a copy of one from before and of the other from after a change is neither. */
async function copyTogether(path: string, copy: string): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = describeFiles(path);
    for (const end of ['', '-wal', '-journal']) {
      rmSync(`${copy}${end}`, { force: true });
      if (sizeOf(`${path}${end}`) > 0) await copyPrivately(`${path}${end}`, `${copy}${end}`);
    }
    if (describeFiles(path) === before) return;
  }
  throw new AskError('conflict', `${path} is being written just now.`, 'Stop the program that it belongs to, and try again.');
}

async function copyPrivately(from: string, to: string): Promise<void> {
  await copyFile(from, to, 2 /* COPYFILE_FICLONE: no bytes where the disk can share them */);
  await chmod(to, 0o600);
}

/** Of a copy that was being made when the worker was killed. */
function removeLeftovers(workDir: string): void {
  const names = sizeOf(workDir) === 0 ? [] : readdirSync(workDir).filter((name) => name.startsWith(COPY_PREFIX));
  for (const name of names) rmSync(join(workDir, name), { recursive: true, force: true });
}

const describeFiles = (path: string) =>
  ['', '-wal', '-journal']
    .map((end) => statSync(`${path}${end}`, { throwIfNoEntry: false }))
    .map((stat) => (stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : ''))
    .join(' ');

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
