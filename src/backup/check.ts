// Looks whether memory.db is what was written: every page by its sum, every row that has a hash by that, and SQLite's own check.
import { Database } from 'bun:sqlite';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { hashParts } from '../core/ids.ts';
import type { Paths } from '../paths.ts';
import { readCommitted, readSalts, readSums, type SumReader, sumPage, UNKNOWN } from '../store/page-sums.ts';
import { readColumn } from '../store/read.ts';
import { readMark } from './damage.ts';

type CheckOrder = {
  paths: Pick<Paths, 'database' | 'pageSums' | 'mark'>;
  /** SQLite's own check, too, which takes long. */
  isDeep?: boolean;
};

export type Verdict = {
  /** What is wrong, in sentences without a full stop; empty when all is well. */
  damage: string[];
  /** Another program has copied the log to the database: the sums are of before, and can be forgotten. */
  isForeign: boolean;
};

/** A page that is just being written is looked at again after so long. */
const AGAIN_MS = 700;

export async function checkStore({ paths, isDeep = false }: CheckOrder): Promise<Verdict> {
  const logged = readMark(paths.mark)?.log;
  const isLogOther = logged ? readSalts(`${paths.database}-wal`) !== logged.salts : false;
  // Whoever copies a log to the database writes to that: a worker that is killed may leave it to a process of its own.
  const isCopied = isLogOther && logged?.fileMs !== undefined && statSync(paths.database).mtimeMs !== logged.fileMs;
  const isLogGone = isLogOther && !isCopied;
  const pages = await checkPages(paths);
  const isOther = isCopied || pages.isUnsure || (isLogGone && pages.damaged.length > 0) || isMany(pages.damaged.length, pages.total);
  const isAsked = isDeep || pages.total === 0 || isOther;
  const damage = readThrough(paths.database, isAsked);
  if (isOther && damage.length === 0) return { damage, isForeign: true };
  if (isLogGone) damage.unshift('its log is gone, and what was only in it');
  if (pages.damaged.length > 0) damage.unshift(`${pages.damaged.length} of ${pages.total} pages are not as they were written`);
  return { damage, isForeign: false };
}

/** So many are no damage where all else is sound: another file has come to this place, such as a copy of the user's own. */
export const isMany = (damaged: number, total: number) => damaged > total / 4;

type Pages = { total: number; damaged: number[]; isUnsure: boolean };

async function checkPages(paths: Pick<Paths, 'database' | 'pageSums'>): Promise<Pages> {
  const once = comparePages(paths);
  if (once.damaged.length === 0) return once;
  await Bun.sleep(AGAIN_MS);
  return comparePages(paths);
}

/** By reading the file itself. No connection of this process is open: to close the file would take away its locks. */
export function comparePages({ database, pageSums }: Pick<Paths, 'database' | 'pageSums'>): Pages {
  const sums = readSums(pageSums);
  if (!sums) return { total: 0, damaged: [], isUnsure: false };
  const wal = `${database}-wal`;
  const file = openSync(database, 'r');
  try {
    const copied = sums.copying === '' ? null : readCommitted(wal)?.pages;
    const all = Array.from({ length: sums.count }, (_, at) => at + 1);
    const damaged = all.filter((page) => !copied?.has(page) && isChanged(file, sums, page));
    return { total: sums.count, damaged, isUnsure: sums.copying !== '' && sums.copying !== readSalts(wal) };
  } finally {
    closeSync(file);
    sums.close();
  }
}

/** A page that is being written has no sum meanwhile, and another one afterwards. */
function isChanged(file: number, sums: SumReader, page: number): boolean {
  const before = sums.read(page);
  if (before === UNKNOWN) return false;
  const bytes = Buffer.alloc(sums.pageSize);
  readSync(file, bytes, 0, sums.pageSize, (page - 1) * sums.pageSize);
  return sumPage(page, bytes) !== before && sums.read(page) === before;
}

const ROWS = 500;

/** Of a database that others may have open. */
export function readThrough(database: string, isDeep: boolean): string[] {
  let db: Database | null = null;
  try {
    db = new Database(database, { readonly: true });
    db.run('PRAGMA busy_timeout = 5000');
    const problems = isDeep ? readColumn<string>(db, 'PRAGMA integrity_check(5)').filter((line) => line !== 'ok') : [];
    const rows = listHashed(db).reduce((sum, table) => sum + countChangedRows(db as Database, table), 0);
    return [...(rows > 0 ? [`${rows} memories do not say what was stored`] : []), ...problems.map((line) => `SQLite says: ${line}`)];
  } catch (error) {
    return [`SQLite says: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    db?.close(true);
  }
}

/** An older schema has not all of them. */
const listHashed = (db: Database) =>
  readColumn<string>(db, "SELECT name FROM sqlite_schema WHERE type = 'table'").filter((name) => Object.hasOwn(HASHED, name));

/** Some at a time: a long look would keep the log from being emptied. */
function countChangedRows(db: Database, table: string): number {
  const there = readColumn<string>(db, 'SELECT name FROM pragma_table_info(?)', table);
  const columns = [...(HASHED[table] ?? []), 'seal', ...(SEALED[table] ?? [])].filter((column) => there.includes(column));
  const sql = `SELECT id, hash, ${columns.join(', ')} FROM ${table} NOT INDEXED WHERE id > ? ORDER BY id LIMIT ? + 0`;
  const read = db.query<Record<string, unknown> & { id: number }, [number, number]>(sql);
  let changed = 0;
  for (let rows = read.all(0, ROWS); rows.length > 0; rows = read.all(rows.at(-1)?.id ?? 0, ROWS))
    changed += rows.filter((row) => isIntactRow(table, row) === false).length;
  return changed;
}

// Rows that carry a hash of their own words: whether they still say what was stored.

/** What the hash is made of, in its order (observations.ts, summaries.ts, turns/turns.ts). */
const HASHED: Record<string, string[]> = {
  observations: ['type', 'title', 'subtitle', 'narrative', 'facts', 'concepts', 'files_read', 'files_modified', 'outcome'],
  summaries: ['request', 'investigated', 'learned', 'completed', 'next_steps', 'files_read', 'files_edited', 'notes'],
  turns: ['record'],
};

/** What stands in the seal of a row once more, in its order (migration 19): whose it is and what it counts for. */
const SEALED: Record<string, string[]> = {
  observations: [
    ...['session_id', 'project_id', 'prompt_number', 'origin', 'trust', 'pinned', 'created_at_epoch', 'provisional'],
    ...['hidden_at', 'wrong_at', 'kept', 'quarantined', 'is_rule', 'rule_said_at', 'commit_hash', 'author'],
  ],
  summaries: ['session_id', 'project_id', 'prompt_number', 'created_at_epoch', 'provisional', 'hidden_at'],
  turns: ['session_id', 'prompt_number', 'started_at_epoch', 'ended_at_epoch'],
};

/** Null: rows of this table have no hash. A row of an older schema has no seal. */
export function isIntactRow(table: string, row: Record<string, unknown>): boolean | null {
  const columns = HASHED[table];
  if (!columns) return null;
  const parts = columns.map((column) => row[column] ?? null);
  if (!parts.every((part) => part === null || typeof part === 'string') || row.hash !== hashParts(parts)) return false;
  const sealed = SEALED[table]?.filter((column) => column in row);
  const seal = sealed?.map((column) => row[column] ?? '').join(' ');
  return (row.seal ?? null) === null || row.seal === seal;
}
