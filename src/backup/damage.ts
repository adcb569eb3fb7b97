// What is known of damage to memory.db, kept beside it: how far it was at least, what was found, and that it was there at all.

import type { Database } from 'bun:sqlite';
import { closeSync, constants, existsSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { sayCount } from '../core/text.ts';
import { readOwnFile, writeOwnFile } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { readLog, readSalts } from '../store/page-sums.ts';
import { readFirst, readValue } from '../store/read.ts';

export type Mark = {
  schema: number;
  /** The highest ids ever given, of tables whose ids never come again. */
  last: Record<string, number>;
  /** What only the log knew; null when all of it was in the database, too. `fileMs`: when the database itself was last written. */
  log: { salts: string; frames: number; fileMs?: number } | null;
};

/** Null: there is none yet, or it cannot be read. */
export function readMark(path: string): Mark | null {
  try {
    const mark: Mark = JSON.parse(readOwnFile(path));
    return typeof mark.schema === 'number' && typeof mark.last === 'object' ? mark : null;
  } catch {
    // A store of the version before, or a power cut while it was written: nothing can be said.
    return null;
  }
}

const MARK_BYTES = 512;

/** In place, within one sector: to put a file into the place of another makes some file systems wait for the disk. */
export function openMark(path: string): { write: (mark: Mark) => void; close: () => void } {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const file = openSync(path, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  return {
    write: (mark) => void writeSync(file, JSON.stringify(mark).padEnd(MARK_BYTES), 0),
    close: () => closeSync(file),
  };
}

const lastOf = (table: string) =>
  `max(coalesce((SELECT max(id) FROM ${table}), 0), coalesce((SELECT last FROM id_marks WHERE name = '${table}'), 0))`;

export function takeMark(db: Database, database: string): Mark {
  const schema = readValue<number>(db, 'PRAGMA user_version') ?? 0;
  const sql = `SELECT ${['observations', 'summaries', 'prompts'].map((table) => `${lastOf(table)} AS ${table}`).join(', ')},
    coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'documents'), 0) AS documents`;
  const last = readFirst<Mark['last']>(db, sql);
  const isLogged = readValue(db, 'PRAGMA journal_mode') === 'wal';
  const { log, checkpointed } = isLogged ? readLog(db) : { log: 0, checkpointed: 0 };
  return {
    schema,
    last: last ?? {},
    log: log > checkpointed ? { salts: readSalts(`${database}-wal`), frames: log, fileMs: statSync(database).mtimeMs } : null,
  };
}

/** An id that somebody was told never comes to mean another memory. */
export function keepIds(db: Database, last: Mark['last']): void {
  const { documents = 0, ...others } = last;
  for (const [name, id] of Object.entries(others))
    db.query(
      `INSERT INTO id_marks SELECT ?1, ?2 WHERE ?2 > ${lastOf(name)} ON CONFLICT (name) DO UPDATE SET last = max(last, excluded.last)`,
    ).run(name, id);
  db.query("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'documents'").run(documents);
}

/** Ids after `above` and up to `upTo`. */
export type Lost = Record<string, { above: number; upTo: number }>;

/** `suspect`: the log is another one; only a look at every page tells whether something is missing. */
export type Compared = { kind: 'same' } | { kind: 'suspect' } | { kind: 'lost'; what: string; lost: Lost };

export function compareMark(before: Mark | null, now: Mark, database: string, frames: number): Compared {
  if (!before) return { kind: 'same' };
  const lost = Object.fromEntries(
    Object.entries(before.last).flatMap(([table, upTo]) => {
      const above = now.last[table] ?? 0;
      return upTo > above ? [[table, { above, upTo }]] : [];
    }),
  );
  if (before.schema > now.schema) return { kind: 'lost', what: 'its tables are those of an older file', lost };
  const [first] = Object.entries(lost);
  if (first) {
    const [table, { above, upTo }] = first;
    return { kind: 'lost', what: `its ${table} went up to ${upTo}, and go up to ${above}`, lost };
  }
  if (!before.log) return { kind: 'same' };
  if (readSalts(`${database}-wal`) !== before.log.salts) return { kind: 'suspect' };
  if (frames >= before.log.frames) return { kind: 'same' };
  return { kind: 'lost', what: `its log ends after ${frames} of ${before.log.frames} pages`, lost };
}

type Damage = {
  since: string;
  /** Sentences without their full stop. */
  what: string[];
  howToMend: string;
  /** A repair by itself would have lost something: a person decides. */
  isTried: boolean;
  /** Rows that were there, of which no page tells any more. */
  lost: Lost | null;
};

export const HOW_TO_MEND = 'claude-mem repair';
const MOST = 10;

export function readDamage({ damage }: Pick<Paths, 'damage'>): Damage | null {
  if (!existsSync(damage)) return null;
  try {
    const { since, what, isTried, lost = null }: Damage = JSON.parse(readOwnFile(damage));
    if (!Array.isArray(what)) throw new Error('it is not what we write');
    return { since, what, isTried, lost, howToMend: HOW_TO_MEND };
  } catch {
    // That there is such a file says enough.
    return { since: '', what: ['it was found damaged'], howToMend: HOW_TO_MEND, isTried: false, lost: null };
  }
}

export type Noted = { isTried?: boolean; lost?: Lost | null };

/** True when there was none known before. */
export function noteDamage(paths: Pick<Paths, 'damage'>, what: string[], noted: Noted = {}): boolean {
  const known = readDamage(paths);
  const all = [...new Set([...(known?.what ?? []), ...what])].slice(0, MOST);
  const { isTried = known?.isTried ?? false, lost = known?.lost ?? null } = noted;
  const next = { since: known?.since || new Date().toISOString(), what: all, isTried, lost };
  const { howToMend: _, ...before } = known ?? { howToMend: '' };
  if (JSON.stringify(before) !== JSON.stringify(next)) writeOwnFile(paths.damage, JSON.stringify(next));
  return known === null;
}

export function clearDamage({ damage }: Pick<Paths, 'damage'>): void {
  rmSync(damage, { force: true });
}

export const describeDamage = ({ what, howToMend }: Damage) =>
  `The memory is damaged (${what[0] ?? 'its file'}). To repair it, run: ${howToMend}`;

/**
 * `byHash`: rows of damaged pages whose words their own hash proves; what it does not cover may be damaged. `missing`: null when nobody can
 * tell how many.
 */
export type TableReport = { read: number; fromBackup: number; byHash: number; missing: number | null };

export type RepairReport = {
  tables: Record<string, TableReport>;
  backup: string | null;
  isWhole: boolean;
  /** Where the damaged database is kept; null when nothing was changed. */
  keptAs: string | null;
};

export function sayRepaired({ tables, backup, isWhole, keptAs }: RepairReport): string {
  const fromBackup = Object.values(tables).reduce((sum, table) => sum + table.fromBackup, 0);
  const helped = backup && fromBackup > 0 ? `, ${sayCount(fromBackup, 'rows')} of them from a backup` : '';
  const missing = Object.entries(tables)
    .filter(([, table]) => table.missing !== 0 || table.byHash > 0)
    .map(([name, table]) => `${name}: ${sayLeft(table)}`);
  const lost = missing.length > 0 ? `not every row is there (${missing.join('; ')})` : 'whether a row is missing is not known';
  const kept = keptAs ? ` The damaged file: ${keptAs}.` : '';
  return `The memory was damaged and has been repaired: ${isWhole ? `every row is there${helped}` : lost}.${kept}`;
}

const sayLeft = ({ byHash, missing }: TableReport) => {
  const left = missing === null ? 'how many are missing is not known' : `${missing} missing`;
  return byHash > 0 ? `${byHash} of damaged pages by their own hash, ${left}` : left;
};

export function listRepaired({ tables }: RepairReport): string[] {
  return Object.entries(tables)
    .filter(([, { fromBackup, byHash, missing }]) => fromBackup > 0 || byHash > 0 || missing !== 0)
    .map(([name, table]) => `${name}: ${table.read} read, ${table.fromBackup} from the backup, ${sayLeft(table)}`);
}

/** Whether the database is still the one that was there at this call. While it is open, no other file has its number. */
export function rememberStore({ database }: Paths): () => boolean {
  const { ino } = statSync(database);
  return () => statSync(database, { throwIfNoEntry: false })?.ino === ino;
}

/** SQLite would open a missing or emptied file as a new database, and everything would seem forgotten. */
export function refuseLostStore(paths: Paths): void {
  const { database, birthMark } = paths;
  const isThere = (statSync(database, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (isThere || !existsSync(birthMark)) return;
  noteDamage(paths, ['it is gone or empty'], { isTried: true });
  throw new Error(
    `${database} is gone or empty. To bring back what the newest backup has, run: ${HOW_TO_MEND}. To start afresh, delete ${birthMark}.`,
  );
}
