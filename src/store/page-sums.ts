// A hash of every page of memory.db, kept beside it: SQLite's own checks do not see changed text. With a write-ahead log the pages of the
// file change at checkpoints only, so all of ours go through `checkpoint`.
import type { Database } from 'bun:sqlite';
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { COPYING_AT, HEADER, openSums, placeOf, SUM, sumPage, UNKNOWN } from './sums-file.ts';
import { listWaitingPages, readSalts } from './wal.ts';

export type PageSums = {
  /** Copies what waits in the log to the database. True when nothing waits any more and, for TRUNCATE, the log is empty. */
  checkpoint: (mode: Mode) => boolean;
  /** Some of the pages that have no sum yet get one; true when none is left. */
  fill: () => boolean;
  /** Whether another program has made a checkpoint: then the sums of what it wrote are forgotten. */
  noticeForeign: () => boolean;
  /** Whatever they were, the pages are as they should be: another program has written them. */
  forget: () => void;
  /** After the last connection of this process is closed. */
  close: () => void;
};

export type Mode = 'PASSIVE' | 'TRUNCATE';

const kept = new WeakMap<Database, PageSums>();

/** The only way to a checkpoint. False: another connection reads or writes, and something still waits in the log. */
export function checkpoint(db: Database, mode: Mode): boolean {
  return kept.get(db)?.checkpoint(mode) ?? run(db, mode).busy === 0;
}

type Outcome = { busy: number; log: number; checkpointed: number };
const run = (db: Database, mode: Mode | 'NOOP'): Outcome =>
  db.query<Outcome, []>(`PRAGMA wal_checkpoint(${mode})`).get() ?? { busy: 1, log: 0, checkpointed: 0 };

/** How many frames the log has, and how many of them are in the database, too. */
export const readLog = (db: Database): { log: number; checkpointed: number } => run(db, 'NOOP');

/** Pages that get their first sum in one go: a millisecond or two. */
const SLICE = 512;

/**
 * From here on the connection makes no checkpoint by itself. `onChange` is called right before the log may begin anew. Null with a rollback
 * journal, where pages change at every commit.
 */
export function keepSums(db: Database, path: string, sums: string, onChange: () => void): PageSums | null {
  const mode = db.query<{ journal_mode: string }, []>('PRAGMA journal_mode').get()?.journal_mode;
  if (mode !== 'wal') return null;
  db.run('PRAGMA wal_autocheckpoint = 0');
  const wal = `${path}-wal`;
  const pageSize = db.query<{ page_size: number }, []>('PRAGMA page_size').get()?.page_size ?? 4096;
  // Never closed while SQLite has the database open: that would take away its locks.
  const database = openSync(path, 'r');
  const file = openSums(sums, pageSize);
  let next = 1;
  /** How far the log was copied by us. */
  let copied = { salts: readSalts(wal), frames: run(db, 'NOOP').checkpointed };

  const writeRun = (first: number, sums: BigUint64Array) =>
    writeSync(file, new Uint8Array(sums.buffer), 0, sums.byteLength, placeOf(first));
  /** Pages of which nobody knows what will stand there. */
  const writeUnknown = (pages: number[]) => {
    for (const { first, count } of runsOf(pages)) writeRun(first, new BigUint64Array(count).fill(UNKNOWN));
  };
  const some = Buffer.allocUnsafe(LONGEST_RUN * pageSize);
  /** Pages as they stand in the database: many are read at once, since hooks wait meanwhile. */
  const writeSums = (pages: number[]) => {
    for (const { first, count } of runsOf(pages)) {
      const read = Math.floor(readSync(database, some, 0, count * pageSize, (first - 1) * pageSize) / pageSize);
      const sums = new BigUint64Array(count).fill(UNKNOWN);
      for (let at = 0; at < read; at++)
        sums[at] = sumPage(first + at, some.subarray(at * pageSize, (at + 1) * pageSize));
      writeRun(first, sums);
    }
  };
  const forget = () => {
    ftruncateSync(file, HEADER);
    next = 1;
  };

  /** Killed at any point, a page has its sum of before and is as before, or has none. */
  const copy = (): boolean => {
    const [salts, before] = [readSalts(wal), run(db, 'NOOP')];
    const waiting = before.log > 0 ? listWaitingPages(wal, { first: 0, end: before.log, salts }) : [];
    if (waiting === null) return false;
    writeSync(file, Buffer.from(salts.padEnd(16, '0'), 'hex'), 0, 8, COPYING_AT);
    writeUnknown(waiting.sort((a, b) => a - b));
    fdatasyncSync(file);
    onChange();
    const after = run(db, 'PASSIVE');
    // An importing process may have committed meanwhile.
    const more = after.log > before.log ? listWaitingPages(wal, { first: before.log, end: after.log, salts }) : [];
    if (more === null) forget();
    else {
      const changed = [...new Set([...waiting, ...more])].sort((a, b) => a - b);
      if (after.log === after.checkpointed) writeSums(changed);
      else writeUnknown(changed);
    }
    const end = HEADER + Math.floor(fstatSync(database).size / pageSize) * SUM;
    if (fstatSync(file).size > end) ftruncateSync(file, end);
    writeSync(file, Buffer.alloc(8), 0, 8, COPYING_AT);
    next = 1;
    copied = { salts, frames: after.checkpointed };
    return after.busy === 0 && after.log === after.checkpointed;
  };

  const sumsOf: PageSums = {
    checkpoint(mode) {
      const version = dataVersion(db);
      const isDone = copy();
      if (mode === 'PASSIVE' || !isDone) return isDone;
      const { busy } = run(db, 'TRUNCATE');
      // Another process committed in between, and nobody saw which pages.
      if (dataVersion(db) !== version) forget();
      return busy === 0;
    },
    fill() {
      const count = Math.floor(fstatSync(database).size / pageSize);
      const known = Buffer.alloc(SLICE * SUM);
      for (let looked = 0; next <= count && looked < 64; looked++) {
        known.fill(0);
        readSync(file, known, 0, known.length, placeOf(next));
        const slice = Array.from({ length: Math.min(SLICE, count - next + 1) }, (_, at) => next + at);
        const unknown = slice.filter((_, at) => known.readBigUInt64LE(at * SUM) === UNKNOWN);
        next += SLICE;
        if (unknown.length === 0) continue;
        writeSums(unknown);
        break;
      }
      return next > count;
    },
    noticeForeign() {
      const isForeign = readSalts(wal) === copied.salts && run(db, 'NOOP').checkpointed > copied.frames;
      if (isForeign) forget();
      copied = { salts: readSalts(wal), frames: run(db, 'NOOP').checkpointed };
      return isForeign;
    },
    forget,
    close() {
      kept.delete(db);
      closeSync(database);
      closeSync(file);
    },
  };
  kept.set(db, sumsOf);
  return sumsOf;
}

/** Another number after another connection has committed. */
export const dataVersion = (db: Database) =>
  db.query<{ data_version: number }, []>('PRAGMA data_version').get()?.data_version;

const LONGEST_RUN = 64;

/** Pages that follow each other are read and written together. In order. */
function* runsOf(pages: number[]): Generator<{ first: number; count: number }> {
  let [first, count] = [pages[0] ?? 0, 0];
  for (const page of pages) {
    if (page !== first + count || count === LONGEST_RUN) {
      yield { first, count };
      [first, count] = [page, 0];
    }
    count++;
  }
  if (count > 0) yield { first, count };
}
