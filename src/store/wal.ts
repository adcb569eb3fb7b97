// The write-ahead log of a database, read without SQLite: which pages wait in it, and the last committed version of each.
import { closeSync, fdatasyncSync, openSync, readSync, statSync } from 'node:fs';

const HEADER = 32;
const FRAME_HEADER = 24;

/** Its salts change each time that SQLite begins it anew; '' when there is none. */
export function readSalts(wal: string): string {
  return withFile(wal, '', (file) => readAt(file, 16, 8)?.toString('hex') ?? '');
}

/** The pages of the frames from `first` to before `end`, by what their headers say. Null when the log was begun anew meanwhile. */
export function listWaitingPages(wal: string, range: { first: number; end: number; salts: string }): number[] | null {
  return withFile(wal, null, (file) => {
    const pageSize = readAt(file, 8, 4)?.readUInt32BE(0) ?? 0;
    const pages = new Set<number>();
    // Thousands, while hooks wait: one buffer for all of them.
    const head = Buffer.allocUnsafe(16);
    const salts = Buffer.from(range.salts, 'hex');
    for (let frame = range.first; frame < range.end; frame++) {
      if (readSync(file, head, 0, 16, HEADER + frame * (FRAME_HEADER + pageSize)) < 16) return null;
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
    const header = readAt(file, 0, HEADER);
    if (!header || (header.readUInt32BE(0) & ~1) >>> 0 !== 0x377f0682) return null;
    const isBigEndian = (header.readUInt32BE(0) & 1) === 1;
    const pageSize = header.readUInt32BE(8);
    let sum = addUp(header.subarray(0, 24), isBigEndian, [0, 0]);
    if (!isSum(header, 24, sum)) return null;
    const pages = new Map<number, Buffer>();
    let pageCount = 0;
    let open: [number, Buffer][] = [];
    for (let at = HEADER; at + FRAME_HEADER + pageSize <= size; at += FRAME_HEADER + pageSize) {
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
  if (size < HEADER) return missing;
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

const isSum = (bytes: Buffer, at: number, [a, b]: Sum) =>
  bytes.readUInt32BE(at) === a && bytes.readUInt32BE(at + 4) === b;

function addUp(bytes: Buffer, isBigEndian: boolean, [first, second]: Sum): Sum {
  let [a, b] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + b) >>> 0;
    b = (b + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + a) >>> 0;
  }
  return [a, b];
}
