// Opening index.db: vectors made from memory.db. What is damaged or of another version is thrown away and made anew.
import { Database, SQLiteError } from 'bun:sqlite';
import { chmodSync, closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { StoreError } from '../open.ts';

/** "cmix" in ASCII: marks a file as ours. */
export const INDEX_APPLICATION_ID = 0x636d6978;
/** Raised with every change below: an index of another version is made anew. */
export const INDEX_VERSION = 1;
const BUSY_TIMEOUT_MS = 5000;

// A vector's key is its model, document and part in one number (vector-keys.ts). The rowid is what makes a key cheap to look up: in a
// WITHOUT ROWID table the inner pages would hold whole vectors, ten to a page, six levels deep at a million. Signs stand apart so that
// loading them reads an eighth of the file.
const SCHEMA = `
  CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL) STRICT;
  -- Every document from low to high has its vectors of this model, or had no text; what lies between two rows waits.
  CREATE TABLE covered (
    model INTEGER NOT NULL REFERENCES models (id) ON DELETE CASCADE,
    low INTEGER NOT NULL,
    high INTEGER NOT NULL,
    PRIMARY KEY (model, low)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE vectors (key INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
  CREATE TABLE signs (key INTEGER PRIMARY KEY, sign BLOB NOT NULL) STRICT;`;

export function openIndex(path: string): Database {
  if (look(path) === 'unusable') removeIndex(path);
  try {
    return open(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeIndex(path);
    return open(path);
  }
}

/** The file is not what SQLite wrote: nothing in it can be trusted, and all of it can be made again. */
export function isDamage(error: unknown): boolean {
  return error instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB|FORMAT|IOERR_SHORT_READ)/.test(error.code ?? '');
}

/** Nothing may have it open. */
export function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

/** Looks before SQLite does: opening a file of somebody else may already change it. */
function look(path: string): 'usable' | 'unusable' {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return 'usable';
  const header = readHeader(path);
  // What a power cut leaves of a file that was just made.
  if (header.every((byte) => byte === 0)) return 'unusable';
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3') throw foreign(path);
  const [version, applicationId] = [header.readUInt32BE(60), header.readUInt32BE(68)];
  // Our id may still be in the log of a file whose first checkpoint never came.
  if (applicationId === 0) return 'usable';
  if (applicationId !== INDEX_APPLICATION_ID) throw foreign(path);
  return version === INDEX_VERSION ? 'usable' : 'unusable';
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(72);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return header;
}

function open(path: string): Database {
  const db = new Database(path, { create: true, strict: true });
  try {
    chmodSync(path, 0o600);
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    requireOurs(db, path);
    db.run('PRAGMA journal_mode = WAL');
    // A power cut may cost the last vectors, which are then made again; it must not cost a sync each.
    db.run('PRAGMA synchronous = NORMAL');
    db.run('PRAGMA foreign_keys = ON');
    db.run('PRAGMA secure_delete = ON');
    db.run('PRAGMA trusted_schema = OFF');
    db.run('PRAGMA cache_size = -2000');
    make(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function requireOurs(db: Database, path: string): void {
  const tables = db.query<{ n: number }, []>('SELECT count(*) AS n FROM sqlite_schema').get()?.n ?? 0;
  const applicationId = readPragma(db, 'application_id');
  if (applicationId !== INDEX_APPLICATION_ID && (applicationId !== 0 || tables > 0)) throw foreign(path);
}

function make(db: Database): void {
  db.transaction(() => {
    if (readPragma(db, 'user_version') === INDEX_VERSION) return;
    db.run(SCHEMA);
    db.run(`PRAGMA application_id = ${INDEX_APPLICATION_ID}`);
    db.run(`PRAGMA user_version = ${INDEX_VERSION}`);
  }).immediate();
}

function foreign(path: string): StoreError {
  return new StoreError(
    'foreign',
    `${path} is not an index of claude-mem. It was left as it is. Move it away, or set CLAUDE_MEM_DATA_DIR to another folder.`,
  );
}

function readPragma(db: Database, name: 'user_version' | 'application_id'): number {
  const row = db.query<Record<string, number>, []>(`PRAGMA ${name}`).get();
  return Number(Object.values(row ?? {})[0] ?? 0);
}
