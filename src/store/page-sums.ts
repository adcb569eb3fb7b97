// A hash of every page of memory.db, kept beside it: SQLite's own checks do not see changed text. With a write-ahead log the pages of the
// file change at checkpoints only, so all of ours go through `checkpoint`.
import type { Database } from 'bun:sqlite';
import { closeSync, constants, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { readFirst, readValue } from './read.ts';

const MAGIC = 'cmemsum1';
const PAGE_SIZE_AT = 8;
/** The salts of the log that a checkpoint under way copies. */
const COPYING_AT = 16;
const HEADER = 24;
const SUM = 8;
/** Of a page that nobody has looked at, or that is just being written. */
export const UNKNOWN = 0n;

export const sumPage = (number: number, page: Buffer): bigint => Bun.hash.xxHash64(page, BigInt(number)) || 1n;
const placeOf = (page: number) => HEADER + (page - 1) * SUM;

/** Made where there is none; emptied when it is of pages of another size. */
function openSums(sums: string, pageSize: number): number {
  const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants;
  const file = openSync(sums, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  if (readHead(file)?.pageSize === pageSize) return file;
  const head = Buffer.alloc(HEADER);
  head.write(MAGIC, 'latin1');
  head.writeUInt32LE(pageSize, PAGE_SIZE_AT);
  ftruncateSync(file, 0);
  writeSync(file, head, 0, HEADER, 0);
  return file;
}

function readHead(file: number): { pageSize: number; copying: string } | null {
  const bytes = Buffer.alloc(HEADER);
  if (readSync(file, bytes, 0, HEADER, 0) < HEADER || bytes.toString('latin1', 0, 8) !== MAGIC) return null;
  const copying = bytes.toString('hex', COPYING_AT, COPYING_AT + 8);
  return { pageSize: bytes.readUInt32LE(PAGE_SIZE_AT), copying: /^0+$/.test(copying) ? '' : copying };
}

export type SumReader = {
  pageSize: number;
  /** The salts of the log that was being copied when the worker died; '' mostly. */
  copying: string;
  count: number;
  read: (page: number) => bigint;
  close: () => void;
};

/** For another process, which reads beside the worker. Null when there are none. */
export function readSums(sums: string): SumReader | null {
  if (!statSync(sums, { throwIfNoEntry: false })?.isFile()) return null;
  const file = openSync(sums, 'r');
  const head = readHead(file);
  if (!head) {
    closeSync(file);
    return null;
  }
  const bytes = Buffer.alloc(SUM);
  return {
    ...head,
    count: Math.floor((fstatSync(file).size - HEADER) / SUM),
    read: (page) => (readSync(file, bytes, 0, SUM, placeOf(page)) === SUM ? bytes.readBigUInt64LE(0) : UNKNOWN),
    close: () => closeSync(file),
  };
}

/** For a database that nobody has open: a sum of each of its pages. */
export function writeSums(path: string, sums: string, pageSize = 4096): void {
  const database = openSync(path, 'r');
  const file = openSums(sums, pageSize);
  try {
    ftruncateSync(file, HEADER);
    const page = Buffer.alloc(pageSize);
    const count = Math.floor(fstatSync(database).size / pageSize);
    const all = Buffer.alloc(count * SUM);
    for (let number = 1; number <= count; number++) {
      readSync(database, page, 0, pageSize, (number - 1) * pageSize);
      all.writeBigUInt64LE(sumPage(number, page), (number - 1) * SUM);
    }
    writeSync(file, all, 0, all.length, HEADER);
    fdatasyncSync(file);
  } finally {
    closeSync(file);
    closeSync(database);
  }
}

const LOG_HEADER = 32;
const FRAME_HEADER = 24;

/** Its salts change each time that SQLite begins it anew; '' when there is none. */
export const readSalts = (wal: string): string => withFile(wal, '', (file) => readAt(file, 16, 8)?.toString('hex') ?? '');

/** The pages of the frames from `first` to before `end`, by what their headers say. Null when the log was begun anew meanwhile. */
function listWaitingPages(wal: string, range: { first: number; end: number; salts: string }): number[] | null {
  return withFile(wal, null, (file) => {
    const pageSize = readAt(file, 8, 4)?.readUInt32BE(0) ?? 0;
    const pages = new Set<number>();
    // Thousands, while hooks wait: one buffer for all of them. To read the pages between them, too, takes longer.
    const head = Buffer.allocUnsafe(16);
    const salts = Buffer.from(range.salts, 'hex');
    for (let frame = range.first; frame < range.end; frame++) {
      if (readSync(file, head, 0, 16, LOG_HEADER + frame * (FRAME_HEADER + pageSize)) < 16) return null;
      if (salts.compare(head, 8, 16) !== 0) return null;
      pages.add(head.readUInt32BE(0));
    }
    return [...pages];
  });
}

export type Committed = { pageSize: number; pages: Map<number, Buffer>; pageCount: number };

/** What is committed in it, each frame by its checksum, as SQLite would find it after a crash. Null when nothing is. */
export function readCommitted(wal: string): Committed | null {
  return withFile(wal, null, (file, size) => {
    const header = readAt(file, 0, LOG_HEADER);
    if (!header || (header.readUInt32BE(0) & ~1) >>> 0 !== 0x377f0682) return null;
    const isBigEndian = (header.readUInt32BE(0) & 1) === 1;
    const pageSize = header.readUInt32BE(8);
    let sum = addUp(header.subarray(0, 24), isBigEndian, [0, 0]);
    if (!isSum(header, 24, sum)) return null;
    const pages = new Map<number, Buffer>();
    let pageCount = 0;
    let open: [number, Buffer][] = [];
    for (let at = LOG_HEADER; at + FRAME_HEADER + pageSize <= size; at += FRAME_HEADER + pageSize) {
      const frame = readAt(file, at, FRAME_HEADER + pageSize);
      if (!frame?.subarray(8, 16).equals(header.subarray(16, 24))) break;
      const page = frame.subarray(FRAME_HEADER);
      sum = addUp(page, isBigEndian, addUp(frame.subarray(0, 8), isBigEndian, sum));
      if (!isSum(frame, 16, sum)) break;
      open.push([frame.readUInt32BE(0), page]);
      if (frame.readUInt32BE(4) === 0) continue;
      pageCount = frame.readUInt32BE(4);
      for (const [number, bytes] of open) pages.set(number, bytes);
      open = [];
    }
    return pageCount > 0 ? { pageSize, pages, pageCount } : null;
  });
}

/** What another process wrote to it without waiting for the disk is on the disk after this. */
export function syncLog(wal: string): void {
  withFile(wal, undefined, (file) => fdatasyncSync(file));
}

/** SQLite holds no locks on this file: it may be closed again, unlike the database itself. */
function withFile<T>(wal: string, missing: T, read: (file: number, size: number) => T): T {
  const size = statSync(wal, { throwIfNoEntry: false })?.size ?? 0;
  if (size < LOG_HEADER) return missing;
  const file = openSync(wal, 'r');
  try {
    return read(file, size);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, position: number, length: number): Buffer | null {
  const bytes = Buffer.allocUnsafe(length);
  return readSync(file, bytes, 0, length, position) === length ? bytes : null;
}

type Sum = [number, number];

const isSum = (bytes: Buffer, at: number, [a, b]: Sum) => bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b;

function addUp(bytes: Buffer, isBigEndian: boolean, [first, second]: Sum): Sum {
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0;
    b = (b + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}

export type Mode = 'PASSIVE' | 'TRUNCATE';

/** On the connection itself: what the worker loads later is a bundle of its own, with modules of its own. */
const SUMS = Symbol.for('claude-mem page sums');
type Kept = Database & { [SUMS]?: Pick<PageSums, 'checkpoint'> };

/** The only way to a checkpoint. False: another connection reads or writes, and something still waits in the log. */
export const checkpoint = (db: Database, mode: Mode): boolean => (db as Kept)[SUMS]?.checkpoint(mode) ?? run(db, mode).busy === 0;

type Outcome = { busy: number; log: number; checkpointed: number };
const run = (db: Database, mode: Mode | 'NOOP'): Outcome =>
  readFirst<Outcome>(db, `PRAGMA wal_checkpoint(${mode})`) ?? { busy: 1, log: 0, checkpointed: 0 };

/** How many frames the log has, and how many of them are in the database, too. */
export const readLog = (db: Database): { log: number; checkpointed: number } => run(db, 'NOOP');

/** Pages that get their first sum in one go: a millisecond or two. */
const SLICE = 512;

/**
 * From here on the connection makes no checkpoint by itself. `onChange` is called right before the log may begin anew. Null with a rollback
 * journal, where pages change at every commit.
 */
export function keepSums(db: Database, path: string, sums: string, onChange: () => void): PageSums | null {
  if (readValue(db, 'PRAGMA journal_mode') !== 'wal') return null;
  db.run('PRAGMA wal_autocheckpoint = 0');
  const sumsOf = new PageSums(db, path, sums, onChange);
  (db as Kept)[SUMS] = sumsOf;
  return sumsOf;
}

class PageSums {
  private readonly db: Database;
  private readonly onChange: () => void;
  private readonly wal: string;
  private readonly pageSize: number;
  /** Never closed while SQLite has the database open: that would take away its locks. */
  private readonly database: number;
  private readonly file: number;
  private next = 1;
  /** How far the log was copied by us. */
  private copied: { salts: string; frames: number };

  constructor(db: Database, path: string, sums: string, onChange: () => void) {
    this.db = db;
    this.onChange = onChange;
    this.wal = `${path}-wal`;
    this.pageSize = readValue<number>(db, 'PRAGMA page_size') ?? 4096;
    this.database = openSync(path, 'r');
    this.file = openSums(sums, this.pageSize);
    this.copied = this.readCopied();
  }

  /** Copies what waits in the log to the database. True when nothing waits any more and, for TRUNCATE, the log is empty. */
  checkpoint(mode: Mode): boolean {
    const version = dataVersion(this.db);
    const isDone = this.copy();
    if (mode === 'PASSIVE' || !isDone) return isDone;
    const { busy } = run(this.db, 'TRUNCATE');
    // Another process committed in between, and nobody saw which pages.
    if (dataVersion(this.db) !== version) this.forget();
    return busy === 0;
  }

  /** Some of the pages that have no sum yet get one; true when none is left. */
  fill(): boolean {
    const count = this.countPages();
    const known = Buffer.alloc(SLICE * SUM);
    for (let looked = 0; this.next <= count && looked < 64; looked++) {
      known.fill(0);
      readSync(this.file, known, 0, known.length, placeOf(this.next));
      const slice = Array.from({ length: Math.min(SLICE, count - this.next + 1) }, (_, at) => this.next + at);
      const unknown = slice.filter((_, at) => known.readBigUInt64LE(at * SUM) === UNKNOWN);
      this.next += SLICE;
      if (unknown.length === 0) continue;
      this.writeSums(unknown);
      break;
    }
    return this.next > count;
  }

  /** Whether another program has made a checkpoint: then the sums of what it wrote are forgotten. */
  noticeForeign(): boolean {
    const now = this.readCopied();
    const isForeign = now.salts === this.copied.salts && now.frames > this.copied.frames;
    if (isForeign) this.forget();
    this.copied = now;
    return isForeign;
  }

  /** Whatever they were, the pages are as they should be: another program has written them. */
  forget(): void {
    ftruncateSync(this.file, HEADER);
    this.next = 1;
  }

  /** After the last connection of this process is closed. */
  close(): void {
    delete (this.db as Kept)[SUMS];
    closeSync(this.database);
    closeSync(this.file);
  }

  private readCopied() {
    return { salts: readSalts(this.wal), frames: run(this.db, 'NOOP').checkpointed };
  }

  private countPages(): number {
    return Math.floor(fstatSync(this.database).size / this.pageSize);
  }

  /** Killed at any point, a page has its sum of before and is as before, or has none. */
  private copy(): boolean {
    const { db, file, wal } = this;
    const [salts, before] = [readSalts(wal), run(db, 'NOOP')];
    const waiting = before.log > 0 ? listWaitingPages(wal, { first: 0, end: before.log, salts }) : [];
    if (waiting === null) return false;
    writeSync(file, Buffer.from(salts.padEnd(16, '0'), 'hex'), 0, 8, COPYING_AT);
    this.writeUnknown(waiting.sort((a, b) => a - b));
    fdatasyncSync(file);
    this.onChange();
    const after = run(db, 'PASSIVE');
    // An importing process may have committed meanwhile.
    const more = after.log > before.log ? listWaitingPages(wal, { first: before.log, end: after.log, salts }) : [];
    if (more === null) this.forget();
    else {
      const changed = [...new Set([...waiting, ...more])].sort((a, b) => a - b);
      if (after.log === after.checkpointed) this.writeSums(changed);
      else this.writeUnknown(changed);
    }
    const end = HEADER + this.countPages() * SUM;
    if (fstatSync(file).size > end) ftruncateSync(file, end);
    writeSync(file, Buffer.alloc(8), 0, 8, COPYING_AT);
    this.next = 1;
    this.copied = { salts, frames: after.checkpointed };
    return after.busy === 0 && after.log === after.checkpointed;
  }

  /** Pages of which nobody knows what will stand there. */
  private writeUnknown(pages: number[]): void {
    this.write(pages, new BigUint64Array(pages.length).fill(UNKNOWN));
  }

  /** Pages as they stand in the database: many are read at once, since hooks wait meanwhile. */
  private writeSums(pages: number[]): void {
    const size = this.pageSize;
    const some = Buffer.allocUnsafe(LONGEST_RUN * size);
    const sums = new BigUint64Array(pages.length).fill(UNKNOWN);
    let done = 0;
    for (const { first, count } of runsOf(pages)) {
      const read = Math.floor(readSync(this.database, some, 0, count * size, (first - 1) * size) / size);
      for (let at = 0; at < read; at++) sums[done + at] = sumPage(first + at, some.subarray(at * size, (at + 1) * size));
      done += count;
    }
    this.write(pages, sums);
  }

  /** A sum for each of the pages, which are in order. Those between them are written as they were: one write for many. */
  private write(pages: number[], sums: BigUint64Array): void {
    for (let at = 0; at < pages.length; ) {
      const first = pages[at] ?? 0;
      let end = at;
      while (end < pages.length && (pages[end] ?? 0) < first + SLICE) end++;
      const all = new BigUint64Array((pages[end - 1] ?? 0) - first + 1);
      const bytes = new Uint8Array(all.buffer);
      if (all.length > end - at) readSync(this.file, bytes, 0, bytes.length, placeOf(first));
      for (; at < end; at++) all[(pages[at] ?? 0) - first] = sums[at] ?? UNKNOWN;
      writeSync(this.file, bytes, 0, bytes.length, placeOf(first));
    }
  }
}

/** Another number after another connection has committed. */
export const dataVersion = (db: Database) => readValue<number>(db, 'PRAGMA data_version');

const LONGEST_RUN = 64;

/** Pages that follow each other are read together. In order. */
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

/** Everything that asks this connection waits. The copy lies in the folder for as long: elsewhere others might read it. */
export function vacuumStore(db: Database, folder: string): void {
  db.run(`PRAGMA temp_store_directory = '${folder.replaceAll("'", "''")}'`);
  try {
    checkpoint(db, 'TRUNCATE');
    db.run('VACUUM');
  } finally {
    db.run("PRAGMA temp_store_directory = ''");
  }
}
