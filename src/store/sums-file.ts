// The file that holds a hash of every page of the database: its form, and how others read it beside the worker.
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';

const MAGIC = 'cmemsum1';
const PAGE_SIZE_AT = 8;
/** The salts of the log that a checkpoint under way copies. */
export const COPYING_AT = 16;
export const HEADER = 24;
export const SUM = 8;
/** Of a page that nobody has looked at, or that is just being written. */
export const UNKNOWN = 0n;

export const sumPage = (number: number, page: Buffer): bigint => Bun.hash.xxHash64(page, BigInt(number)) || 1n;
export const placeOf = (page: number) => HEADER + (page - 1) * SUM;

/** Made where there is none; emptied when it is of pages of another size. */
export function openSums(sums: string, pageSize: number): number {
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
