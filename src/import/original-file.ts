// Opens the database of the original claude-mem so that nothing beside it or in it is ever written: a private copy is read.
import { Database } from 'bun:sqlite';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { chmod, constants, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AskError } from '../core/ask-error.ts';
import { readPiece } from '../regular-file.ts';
import { APPLICATION_ID } from '../store/open.ts';
import { hasOriginalTables } from './original-rows.ts';

const FILE_NAME = 'claude-mem.db';
const HINT = `Give the ${FILE_NAME} of the other program: it usually lies in ~/.claude-mem.`;
const COPY_PREFIX = 'peer-copy-';

/** Made below `workDir`, the copy has no name any more once it is open. */
export async function openOriginal(given: string, workDir: string): Promise<Database> {
  const path = findFile(given);
  checkHead(path);
  mkdirSync(workDir, { recursive: true, mode: 0o700 });
  // Of a copy that was being made when the worker was killed.
  for (const name of readdirSync(workDir)) if (name.startsWith(COPY_PREFIX)) rmSync(join(workDir, name), { recursive: true, force: true });
  const db = await openCopy(path, workDir);
  try {
    if (hasOriginalTables(db)) return db;
  } catch (cause) {
    db.close(true);
    throw damaged(path, cause);
  }
  db.close(true);
  throw new AskError('invalid', `${path} holds no memories of another claude-mem.`, HINT);
}

const damaged = (path: string, cause: unknown) =>
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
const APPLICATION_ID_AT = 68;

function checkHead(path: string): void {
  const head = readPiece(path, APPLICATION_ID_AT + 4);
  if (head.subarray(0, MAGIC.length).toString('latin1') !== MAGIC) throw new AskError('invalid', `${path} is no SQLite database.`, HINT);
  if (head.length < APPLICATION_ID_AT + 4 || head.readUInt32BE(APPLICATION_ID_AT) !== APPLICATION_ID) return;
  throw new AskError(
    'invalid',
    `${path} is a database of this claude-mem, not of another one.`,
    'Use claude-mem export where it is from, and claude-mem import of that file here.',
  );
}

async function openCopy(path: string, workDir: string): Promise<Database> {
  const folder = mkdtempSync(join(workDir, COPY_PREFIX));
  try {
    const copy = join(folder, FILE_NAME);
    await copyTogether(path, copy);
    const db = new Database(copy, { readwrite: true, create: false });
    db.run('PRAGMA trusted_schema = OFF');
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
const ENDS = ['', '-wal', '-journal'];

/** The file and its log belong together: a copy of one from before and of the other from after a change is neither. */
async function copyTogether(path: string, copy: string): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const before = describeFiles(path);
    for (const end of ENDS) {
      rmSync(`${copy}${end}`, { force: true });
      if (!statSync(`${path}${end}`, { throwIfNoEntry: false })?.size) continue;
      // No bytes are copied where the disk can share them.
      await copyFile(`${path}${end}`, `${copy}${end}`, constants.COPYFILE_FICLONE);
      await chmod(`${copy}${end}`, 0o600);
    }
    if (describeFiles(path) === before) return;
  }
  throw new AskError('conflict', `${path} is being written just now.`, 'Stop the program that it belongs to, and try again.');
}

const describeFiles = (path: string) =>
  ENDS.map((end) => statSync(`${path}${end}`, { throwIfNoEntry: false }))
    .map((stat) => (stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}` : ''))
    .join(' ');
