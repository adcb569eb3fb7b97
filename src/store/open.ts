// Opening memory.db: ours or none, at the right schema, with the durability we promise.
import { Database, SQLiteError } from 'bun:sqlite';
import { chmodSync, statSync } from 'node:fs';
import { readPiece } from '../regular-file.ts';
import { writeBlankSchema } from './migrations/index.ts' with { type: 'macro' };
import { MIGRATIONS, type Migration } from './migrations/index.ts';
import { countRows, readColumn, readFirst, readValue } from './read.ts';

/** "cmem" in ASCII: marks a file as ours. */
export const APPLICATION_ID = 0x636d656d;
/** The oldest that our SQL is held against: test/holes/hole-P1.test.ts. */
const OLDEST_SQLITE = '3.40.0';
/**
 * Before it a database with a write-ahead log can be corrupted when one connection commits in the middle of another's
 * checkpoint, and triggers may not write to FTS5 unless the schema is trusted. The worker and its importing processes
 * write: an older SQLite, which Bun takes from the system on macOS, gets a rollback journal instead, slower and safe.
 */
const SOUND_SQLITE = '3.51.3';
const BUSY_TIMEOUT_MS = 5000;
const KEPT_LOG_BYTES = 64 * 1024 * 1024;
/** Bun keeps twenty prepared statements unless told otherwise; we have hundreds, and to prepare one costs more than to run it. */
const KEPT_STATEMENTS = 500;
Database.MAX_QUERY_CACHE_SIZE = KEPT_STATEMENTS;

export class StoreError extends Error {
  readonly kind: 'foreign' | 'newer' | 'empty' | 'old-sqlite';
  constructor(kind: StoreError['kind'], message: string) {
    super(message);
    this.name = 'StoreError';
    this.kind = kind;
  }
}

/** The file is not what SQLite wrote. */
export const isDamage = (error: unknown): boolean =>
  error instanceof SQLiteError && /^SQLITE_(CORRUPT|NOTADB|FORMAT|IOERR_SHORT_READ)/.test(error.code ?? '');

/** Instead of a path: gone when it is closed. */
export const IN_MEMORY = ':memory:';

/** `sqlite`: the version of SQLite, where a test wants to see what an older one gets. */
export function openStore(path: string, migrations: Migration[] = MIGRATIONS, sqlite?: string): Database {
  refuseStrangeFile(path, migrations);
  const db = new Database(path, { create: true, strict: true });
  try {
    if (path !== IN_MEMORY) chmodSync(path, 0o600);
    db.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const version = sqlite ?? readValue<string>(db, 'SELECT sqlite_version()') ?? '0';
    requireSqlite(version);
    requireOurs(db, path, migrations);
    configure(db, !isBefore(version, SOUND_SQLITE));
    migrate(db, migrations);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Looks before SQLite does: opening a file may already change it. */
function refuseStrangeFile(path: string, migrations: Migration[]): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  if (stat.size === 0) {
    if (!statSync(`${path}-wal`, { throwIfNoEntry: false })?.size) return;
    throw new StoreError('empty', `${path} is empty but has a write-ahead log. Restore it from a backup, or move both away.`);
  }
  const header = Buffer.concat([readPiece(path, 72), Buffer.alloc(72)]);
  const isSqlite = header.toString('latin1', 0, 15) === 'SQLite format 3';
  const applicationId = header.readUInt32BE(68);
  // Our id may still be in the log of a database whose first checkpoint never came: 0 is looked at again once open.
  if (!isSqlite || (applicationId !== APPLICATION_ID && applicationId !== 0)) throw foreign(path);
  refuseNewer(path, header.readUInt32BE(60), migrations);
}

function refuseNewer(path: string, version: number, migrations: Migration[]): void {
  const known = migrations.at(-1)?.version ?? 0;
  if (version <= known) return;
  throw new StoreError(
    'newer',
    `${path} was written by a newer claude-mem (schema ${version}, this one knows ${known}). It was left as it is. Update claude-mem.`,
  );
}

function foreign(path: string): StoreError {
  return new StoreError(
    'foreign',
    `${path} is not a claude-mem memory. It was left as it is. Move it away, or set CLAUDE_MEM_DATA_DIR to another folder.`,
  );
}

function requireSqlite(version: string): void {
  if (!isBefore(version, OLDEST_SQLITE)) return;
  throw new StoreError(
    'old-sqlite',
    `SQLite ${version} cannot read this database; ${OLDEST_SQLITE} or newer is needed. On macOS it comes with the system: update macOS.`,
  );
}

function isBefore(version: string, other: string): boolean {
  const parts = version.split('.').map(Number);
  const difference = other
    .split('.')
    .map((wanted, i) => (parts[i] ?? 0) - Number(wanted))
    .find((delta) => delta !== 0);
  return (difference ?? 0) < 0;
}

function requireOurs(db: Database, path: string, migrations: Migration[]): void {
  // One snapshot: another process may be making the file ours at this very moment.
  const { applicationId, tables, version } = db.transaction(() => ({
    applicationId: readPragma(db, 'application_id'),
    tables: countRows(db, 'sqlite_schema'),
    version: readPragma(db, 'user_version'),
  }))();
  if (applicationId !== APPLICATION_ID && (applicationId !== 0 || tables > 0)) throw foreign(path);
  refuseNewer(path, version, migrations);
}

function configure(db: Database, isSound: boolean): void {
  useJournal(db, isSound ? 'wal' : 'truncate');
  db.run('PRAGMA synchronous = FULL');
  db.run('PRAGMA foreign_keys = ON');
  db.run('PRAGMA secure_delete = ON');
  db.run(`PRAGMA trusted_schema = ${isSound ? 'OFF' : 'ON'}`);
  db.run('PRAGMA cache_size = -8000');
  // 32 MB of log before a commit has to wait for a checkpoint; a quiet worker makes one by itself.
  db.run('PRAGMA wal_autocheckpoint = 8000');
  // A log that had to grow is cut back once it could be emptied.
  db.run(`PRAGMA journal_size_limit = ${KEPT_LOG_BYTES}`);
  // FULL is what makes an ack a promise; a build with another default must not weaken it unseen.
  if (readPragma(db, 'synchronous') !== 2) throw new Error('SQLite did not accept synchronous = FULL');
}

/** This change alone does not wait by itself for another process: one that makes it too, or one that still has the log open. */
function useJournal(db: Database, wanted: 'wal' | 'truncate'): void {
  const deadline = performance.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      const row = readFirst<{ journal_mode: string }>(db, `PRAGMA journal_mode = ${wanted}`);
      // A disk that cannot have a log gives a journal, which is as safe.
      if (wanted === 'wal' || row?.journal_mode !== 'wal') return;
      throw new Error('SQLite did not leave the write-ahead log');
    } catch (error) {
      if (performance.now() > deadline) throw error;
      Bun.sleepSync(10);
    }
  }
}

const BLANK_SCHEMA = writeBlankSchema();

/**
 * Each step is one transaction: killed at any statement, it starts again from the step before. A blank file gets what all of them make in
 * one: a hook waits for the worker that makes it.
 */
function migrate(db: Database, migrations: Migration[]): void {
  if (migrations === MIGRATIONS) step(db, BLANK_SCHEMA, 1, MIGRATIONS.at(-1)?.version ?? 0);
  for (const { version, sql } of migrations) step(db, sql, version, version);
}

/** `before`: only an older one takes it. */
function step(db: Database, sql: string, before: number, version: number): void {
  db.transaction(() => {
    if (readPragma(db, 'user_version') >= before) return;
    db.run(sql);
    db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.run(`PRAGMA user_version = ${version}`);
  }).immediate();
}

export const readSchema = (db: Database): number => readPragma(db, 'user_version');

const readPragma = (db: Database, name: 'user_version' | 'application_id' | 'synchronous'): number =>
  readValue<number>(db, `PRAGMA ${name}`) ?? 0;

const PATIENCE_MS = 250;

/** Reads the first row of every table, which takes a millisecond; throws what SQLite says. */
export function probeStore(path: string): void {
  const db = new Database(path, { readonly: true });
  try {
    db.run(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    if (readPragma(db, 'application_id') !== APPLICATION_ID) throw new Error('it is empty, or of another program');
    const tables = readColumn<string>(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0");
    for (const name of tables) db.query(`SELECT 1 FROM "${name}" NOT INDEXED LIMIT 1`).get();
  } finally {
    db.close();
  }
}

/** For sessions, of which many start: a file that nobody has written to since it was read is as it was then. */
export function createProbe(path: string): () => void {
  let known = '';
  return () => {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    const now = [ino, size, mtimeMs, ctimeMs].join();
    if (now === known) return;
    probeStore(path);
    known = now;
  };
}
