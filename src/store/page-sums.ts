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

  const write = (pages: number[], sumOf: (page: number) => bigint) => {
    for (const run of runsOf(pages)) {
      const bytes = Buffer.alloc(run.length * SUM);
      for (const [at, page] of run.entries()) bytes.writeBigUInt64LE(sumOf(page), at * SUM);
      writeSync(file, bytes, 0, bytes.length, placeOf(run[0] ?? 1));
    }
  };
  const readPage = (page: number): bigint => {
    const bytes = Buffer.allocUnsafe(pageSize);
    return readSync(database, bytes, 0, pageSize, (page - 1) * pageSize) === pageSize ? sumPage(page, bytes) : UNKNOWN;
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
    write(waiting, () => UNKNOWN);
    fdatasyncSync(file);
    onChange();
    const after = run(db, 'PASSIVE');
    // An importing process may have committed meanwhile.
    const more = after.log > before.log ? listWaitingPages(wal, { first: before.log, end: after.log, salts }) : [];
    if (more === null) forget();
    else
      write(
        [...waiting, ...more].sort((a, b) => a - b),
        after.log === after.checkpointed ? readPage : () => UNKNOWN,
      );
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
        write(unknown, readPage);
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

/** Pages that follow each other are written together. */
function* runsOf(pages: number[]): Generator<number[]> {
  let run: number[] = [];
  for (const page of pages) {
    if (run.length > 0 && run.at(-1) !== page - 1) {
      yield run;
      run = [];
    }
    run.push(page);
  }
  if (run.length > 0) yield run;
}
