// A database as pages and rows, read without SQLite: what SQLite refuses to open or to read can still hold most of its rows.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readSums, type SumReader, sumPage, UNKNOWN } from '../store/sums-file.ts';
import { type Committed, readCommitted } from '../store/wal.ts';

export type Value = string | number | bigint | Uint8Array | null;
export type Row = { rowid: number; values: Value[]; isByHash?: boolean };
export type Cell = { rowid: number; record: () => Value[] };
export type Kind = 'table' | 'table inside' | 'index' | 'index inside';

const KINDS: Record<number, Kind> = { 13: 'table', 5: 'table inside', 10: 'index', 2: 'index inside' };

export type PageFile = {
  count: number;
  /** Of page 1, wherever it stands; null when that is damaged. */
  userVersion: number | null;
  /** False: its sum says that it is not what was written. */
  isSound: (page: number) => boolean;
  kindOf: (page: number) => Kind | null;
  /** The rows of a leaf, and the entries of any page of an index. Throws when the page is none. */
  cells: (page: number) => Cell[];
  /** Of an inner page: those below it with the highest rowid that they may hold. */
  children: (page: number) => { page: number; upTo: number }[];
  close: () => void;
};

/** With what waits in its log. Nobody may have it open. `sums`: '' where there are none. */
export function openPageFile(database: string, sums: string): PageFile {
  const file = openSync(database, 'r');
  const known = sums === '' ? null : readSums(sums);
  const log = readCommitted(`${database}-wal`);
  const pageSize = log?.pageSize ?? known?.pageSize ?? 4096;
  const count = Math.max(log?.pageCount ?? 0, Math.floor(fstatSync(file).size / pageSize));
  const read = (page: number): Buffer => {
    const logged = log?.pages.get(page);
    if (logged) return logged;
    const bytes = Buffer.alloc(pageSize);
    readSync(file, bytes, 0, pageSize, (page - 1) * pageSize);
    return bytes;
  };
  const isSound = (page: number) => judge(page, read(page), log, known);
  const reader = { read, isSound, pageSize };
  return {
    count,
    userVersion: isSound(1) ? read(1).readUInt32BE(60) : null,
    isSound,
    kindOf: (page) => KINDS[read(page)[startOf(page)] ?? 0] ?? null,
    cells: (page) => listCells(reader, page),
    children: (page) => listChildren(reader, page),
    close() {
      closeSync(file);
      known?.close();
    },
  };
}

/** What stands in the log has its checksum there. */
function judge(page: number, bytes: Buffer, log: Committed | null, known: SumReader | null): boolean {
  if (log?.pages.has(page)) return true;
  const sum = known?.read(page) ?? UNKNOWN;
  return sum === UNKNOWN || sumPage(page, bytes) === sum;
}

type Reader = { read: (page: number) => Buffer; isSound: (page: number) => boolean; pageSize: number };

const startOf = (page: number) => (page === 1 ? 100 : 0);

function pointers(bytes: Buffer, start: number, kind: Kind): number[] {
  const first = start + (kind.endsWith('inside') ? 12 : 8);
  const count = bytes.readUInt16BE(start + 3);
  return Array.from({ length: count }, (_, at) => bytes.readUInt16BE(first + at * 2));
}

function listCells(reader: Reader, page: number): Cell[] {
  const [bytes, start] = [reader.read(page), startOf(page)];
  const kind = KINDS[bytes[start] ?? 0];
  if (!kind || kind === 'table inside') throw new Error(`page ${page} holds no rows`);
  return pointers(bytes, start, kind).map((pointer) => {
    const [length, after] = readVarint(bytes, kind === 'index inside' ? pointer + 4 : pointer);
    const [rowid, at] = kind === 'table' ? readVarint(bytes, after) : [0, after];
    return { rowid, record: () => readRecord(readPayload(reader, { bytes, at, length, isTable: kind === 'table' })) };
  });
}

function listChildren({ read }: Reader, page: number): { page: number; upTo: number }[] {
  const [bytes, start] = [read(page), startOf(page)];
  const kind = KINDS[bytes[start] ?? 0];
  if (!kind?.endsWith('inside')) throw new Error(`page ${page} has none below it`);
  const inner = pointers(bytes, start, kind).map((pointer) => ({
    page: bytes.readUInt32BE(pointer),
    upTo: kind === 'table inside' ? readVarint(bytes, pointer + 4)[0] : Number.POSITIVE_INFINITY,
  }));
  return [...inner, { page: bytes.readUInt32BE(start + 8), upTo: Number.POSITIVE_INFINITY }];
}

type Place = { bytes: Buffer; at: number; length: number; isTable: boolean };

/** What does not fit on the page goes on elsewhere: https://www.sqlite.org/fileformat2.html#cellformat */
function readPayload({ read, isSound, pageSize }: Reader, { bytes, at, length, isTable }: Place): Buffer {
  const most = isTable ? pageSize - 35 : Math.floor(((pageSize - 12) * 64) / 255) - 23;
  if (length <= most) return take(bytes, at, length);
  const least = Math.floor(((pageSize - 12) * 32) / 255) - 23;
  const even = least + ((length - least) % (pageSize - 4));
  const here = even <= most ? even : least;
  const parts = [take(bytes, at, here)];
  let next = take(bytes, at + here, 4).readUInt32BE(0);
  for (let left = length - here; left > 0; left -= pageSize - 4) {
    if (next === 0 || !isSound(next)) throw new Error(`the rest of a row on page ${next} is damaged`);
    const more = read(next);
    parts.push(more.subarray(4, 4 + Math.min(left, pageSize - 4)));
    next = more.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function take(bytes: Buffer, at: number, length: number): Buffer {
  if (at + length > bytes.length) throw new Error('a row goes beyond its page');
  return bytes.subarray(at, at + length);
}

/** Its value, and where the next begins. */
function readVarint(bytes: Buffer, at: number): [number, number] {
  let value = 0n;
  for (let n = 0; n < 8; n++) {
    const byte = bytes.readUInt8(at + n);
    value = (value << 7n) | BigInt(byte & 127);
    if (byte < 128) return [Number(value), at + n + 1];
  }
  return [Number(BigInt.asIntN(64, (value << 8n) | BigInt(bytes.readUInt8(at + 8)))), at + 9];
}

function readRecord(payload: Buffer): Value[] {
  const [headerLength, first] = readVarint(payload, 0);
  const values: Value[] = [];
  let body = headerLength;
  for (let at = first; at < headerLength; ) {
    const [type, next] = readVarint(payload, at);
    const length = lengthOf(type);
    values.push(readValue(type, take(payload, body, length)));
    body += length;
    at = next;
  }
  if (body !== payload.length) throw new Error('a row is not as long as it says');
  return values;
}

const INTEGERS = [0, 1, 2, 3, 4, 6, 8];

function lengthOf(type: number): number {
  if (type >= 12) return Math.floor((type - 12) / 2);
  if (type === 10 || type === 11) throw new Error('a row has a value of no known kind');
  return type === 7 ? 8 : (INTEGERS[type] ?? 0);
}

function readValue(type: number, bytes: Buffer): Value {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type >= 12) return type % 2 === 0 ? new Uint8Array(bytes) : bytes.toString('utf8');
  const whole = bytes.length < 8 ? bytes.readIntBE(0, bytes.length) : bytes.readBigInt64BE(0);
  return typeof whole === 'bigint' && Number.isSafeInteger(Number(whole)) ? Number(whole) : whole;
}
