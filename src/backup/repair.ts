// Makes a sound database of a damaged one: what can be read of it, what the newest good backup has besides, and everything derived anew.
import type { Database } from 'bun:sqlite';
import { existsSync, rmSync, statSync } from 'node:fs';
import type { Paths } from '../paths.ts';
import { rebuildTable, WORD_TABLES } from '../store/index/check-words.ts';
import { documentMore } from '../store/index/documents.ts';
import { MIGRATIONS } from '../store/migrations/index.ts';
import { openStore } from '../store/open.ts';
import { readSalts } from '../store/wal.ts';
import { comparePages, isMany, readThrough } from './check.ts';
import { attachGoodCopy } from './copies.ts';
import { readDamage } from './damage.ts';
import { linkRows } from './link-rows.ts';
import { keepIds, type Lost, type Mark, readMark } from './mark.ts';
import { openPageFile, type Row } from './pages.ts';
import { type Hole, readShapes, type Salvaged, type Shape, salvage } from './salvage.ts';
import { alone, freshPath, swapIn } from './swap.ts';

/**
 * `byHash`: rows of damaged pages whose words their own hash proves; what it does not cover may be damaged. `missing`: null when nobody can
 * tell how many.
 */
export type TableReport = { read: number; fromBackup: number; byHash: number; missing: number | null };

export type RepairReport = {
  tables: Record<string, TableReport>;
  /** The copy that rows were taken from. */
  backup: string | null;
  /** Every row is there. */
  isWhole: boolean;
  /** Where the damaged database is kept; null when nothing was changed. */
  keptAs: string | null;
};

export type RepairOrder = {
  paths: Paths;
  /** Look only. */
  isDry?: boolean;
  /** Change nothing when a row would be missing. */
  onlyIfWhole?: boolean;
};

/** Nobody has the database open. Killed at any moment, the old one or the new one is whole. */
export const repairStore = (order: RepairOrder): RepairReport => alone(order.paths, () => repair(order));

function repair(order: RepairOrder): RepairReport {
  const { paths, isDry = false, onlyIfWhole = false } = order;
  const fresh = freshPath(paths);
  removeFresh(fresh);
  try {
    const report = fillFresh(paths, fresh);
    makeDerived(fresh);
    if (isDry || (onlyIfWhole && !report.isWhole)) return report;
    const problems = readThrough(fresh, true);
    if (problems.length > 0) throw new Error(`The repaired database is not sound: ${problems.join('; ')}.`);
    // Nobody knows which ids its vectors carry.
    if (!existsSync(paths.mark)) removeFresh(paths.indexDatabase);
    return { ...report, keptAs: swapIn(paths, new Date()) };
  } finally {
    removeFresh(fresh);
  }
}

export function removeFresh(fresh: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${fresh}${suffix}`, { force: true });
}

/** Where the log or the whole file is another one than before, a sound database has pages of another time, not damaged ones. */
function chooseSums(paths: Paths, mark: Mark | null, lost: Lost | null): string {
  const { total, damaged, isUnsure } = comparePages(paths);
  const isLogGone = mark?.log ? readSalts(`${paths.database}-wal`) !== mark.log.salts : false;
  const isOther = lost !== null || isLogGone || isUnsure || isMany(damaged.length, total);
  return isOther && readThrough(paths.database, true).length === 0 ? '' : paths.pageSums;
}

/** The rows, in the schema that they had. */
function fillFresh(paths: Paths, fresh: string): RepairReport {
  const mark = readMark(paths.mark);
  const lost = readDamage(paths)?.lost ?? null;
  const isThere = (statSync(paths.database, { throwIfNoEntry: false })?.size ?? 0) > 0;
  const file = isThere ? openPageFile(paths.database, chooseSums(paths, mark, lost)) : null;
  const version = Math.max(file?.userVersion ?? 0, mark?.schema ?? 0) || Number.POSITIVE_INFINITY;
  const migrations = MIGRATIONS.filter((step) => step.version <= version);
  const db = openStore(fresh, migrations);
  try {
    for (const setting of ['journal_mode = OFF', 'synchronous = OFF', 'foreign_keys = OFF'])
      db.run(`PRAGMA ${setting}`);
    const shapes = readShapes(db).filter(({ name }) => !isDerived(name));
    const rest = takeAway(db);
    const salvaged = file ? salvage(file, shapes) : shapes.map(nothingOf);
    const backup = attachGoodCopy(db, paths, `${fresh}.copy`, migrations);
    db.run('BEGIN');
    const fill = (one: Salvaged) => fillTable(db, one, { hasBackup: backup !== null, lost: lost?.[one.shape.name] });
    const tables = Object.fromEntries(salvaged.map((one) => [one.shape.name, fill(one)]));
    // Made again from what they are about.
    if (tables.documents) tables.documents.missing = 0;
    if (mark) keepIds(db, mark.last);
    linkRows(db, tables, lost !== null);
    db.run('COMMIT');
    if (backup) db.run('DETACH copy');
    for (const sql of rest) db.run(sql);
    const isWhole =
      lost === null && Object.values(tables).every(({ missing, byHash }) => missing === 0 && byHash === 0);
    return { tables, backup, isWhole, keptAs: null };
  } finally {
    file?.close();
    db.close(true);
    removeFresh(`${fresh}.copy`);
  }
}

/** In today's schema: words, and documents of memories that have none. */
function makeDerived(fresh: string): void {
  const db = openStore(fresh);
  try {
    for (const setting of ['journal_mode = OFF', 'synchronous = OFF']) db.run(`PRAGMA ${setting}`);
    for (const table of WORD_TABLES) rebuildTable(db, table);
    for (let next: number | null = 0; next !== null; ) next = documentMore(db, next);
  } finally {
    db.close(true);
  }
}

const isDerived = (name: string) => WORD_TABLES.some((table) => name.startsWith(`${table}_`));

const nothingOf = (shape: Shape): Salvaged => ({
  shape,
  rows: function* () {
    // None.
  },
  holes: [{ above: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY }],
  expected: () => null,
});

/** Triggers and indexes, which would be in the way. Returns how to make them again. */
function takeAway(db: Database): string[] {
  const found = db
    .query<{ type: string; name: string; sql: string }, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('trigger','index') AND sql IS NOT NULL ORDER BY type",
    )
    .all();
  for (const { type, name } of found) db.run(`DROP ${type} ${name}`);
  return found.map(({ sql }) => sql);
}

type Around = { hasBackup: boolean; lost: Lost[string] | undefined };

/** What the backup has of a row counts for more than what is left of it on a damaged page. */
function fillTable(db: Database, { shape, rows, holes, expected }: Salvaged, { hasBackup, lost }: Around): TableReport {
  const report: TableReport = { read: 0, fromBackup: 0, byHash: 0, missing: 0 };
  const byHash: Row[] = [];
  for (const row of rows()) {
    if (row.isByHash) byHash.push(row);
    else report.read += insertRow(db, shape, row);
  }
  if (lost) {
    if (hasBackup) report.fromBackup += takeFromCopy(db, shape, { holes: [lost], wanted: null });
    const found = count(db, `${shape.name} WHERE id > ${lost.above} AND id <= ${lost.upTo}`);
    report.missing = lost.upTo - lost.above - found;
  }
  if (holes.length === 0) return report;
  const wanted = expected();
  if (hasBackup) report.fromBackup += takeFromCopy(db, shape, { holes, wanted });
  for (const row of byHash) report.byHash += insertRow(db, shape, row);
  const missing = wanted === null ? null : Math.max(0, wanted.size - count(db, shape.name)) + (report.missing ?? 0);
  return { ...report, missing };
}

const count = (db: Database, what: string) =>
  db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${what}`).get()?.n ?? 0;

/** A row of an older schema has fewer values than there are columns now: the others have their defaults. */
function insertRow(db: Database, { name, columns, rowidAt }: Shape, { rowid, values, isByHash }: Row): number {
  const names = columns.slice(0, values.length).map((column) => column.name);
  const places = names.map(() => '?').join(', ');
  const all = values.map((value, at) => (at === rowidAt ? rowid : value));
  // No hash covers it, and a list that cannot be read stops whoever reads it.
  const sources = isByHash ? names.indexOf('sources') : -1;
  if (sources >= 0 && !isJson(all[sources])) all[sources] = '[]';
  return db.query(`INSERT OR IGNORE INTO ${name} (${names.join(', ')}) VALUES (${places})`).run(...all).changes;
}

function isJson(value: unknown): boolean {
  try {
    return Array.isArray(JSON.parse(String(value)));
  } catch {
    return false; // which is what was asked
  }
}

type Wanted = { holes: Hole[]; wanted: Set<number> | null };

/** What was deleted for another reason than damage stays deleted: only what lies where something is missing, and what was not forgotten. */
function takeFromCopy(db: Database, { name, columns, rowidAt, isIndexed }: Shape, { holes, wanted }: Wanted): number {
  const names = columns.map((column) => column.name);
  const key = rowidAt < 0 ? 'rowid' : names[rowidAt];
  const alive =
    names.includes('hash') && rowidAt >= 0 ? "AND hash NOT IN (SELECT hash FROM tombstones WHERE kind = 'text')" : '';
  const take = (where: string, ...values: (string | number)[]) =>
    db
      .query(
        `INSERT OR IGNORE INTO ${name} (${names.join(', ')}) SELECT ${names.join(', ')} FROM copy.${name} WHERE ${where} ${alive}`,
      )
      .run(...values).changes;
  if (isIndexed) return take('true');
  if (wanted) return take(`${key} IN (SELECT value FROM json_each(?))`, JSON.stringify([...wanted]));
  const bound = (edge: number) => Math.max(-1e15, Math.min(1e15, edge));
  return holes.reduce((sum, { above, upTo }) => sum + take(`${key} > ? AND ${key} <= ?`, bound(above), bound(upTo)), 0);
}
