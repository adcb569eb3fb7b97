// What can still be read of a damaged database, without SQLite: the rows of each table from its sound pages, and between which rowids
// some are missing.
import type { Database } from 'bun:sqlite';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { type Committed, readCommitted, readSums, type SumReader, sumPage, UNKNOWN } from '../store/page-sums.ts';
import { readAll, readColumn } from '../store/read.ts';
import { isIntactRow } from './check.ts';

type Value = string | number | bigint | Uint8Array | null;
export type Row = { rowid: number; values: Value[]; isByHash?: boolean };
type Cell = { rowid: number; record: () => Value[] };
type Kind = 'table' | 'table inside' | 'index' | 'index inside';

const KINDS: Record<number, Kind> = { 13: 'table', 5: 'table inside', 10: 'index', 2: 'index inside' };

type PageFile = ReturnType<typeof openPageFile>;

/** With what waits in its log. Nobody may have it open. `sums`: '' where there are none. */
export function openPageFile(database: string, sums: string) {
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
    /** Of page 1, wherever it stands; null when that is damaged. */
    userVersion: isSound(1) ? read(1).readUInt32BE(60) : null,
    /** False: its sum says that it is not what was written. */
    isSound,
    kindOf: (page: number) => KINDS[read(page)[startOf(page)] ?? 0] ?? null,
    /** The rows of a leaf, and the entries of any page of an index. Throws when the page is none. */
    cells: (page: number) => listCells(reader, page),
    /** Of an inner page: those below it with the highest rowid that they may hold. */
    children: (page: number) => listChildren(reader, page),
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

/** `mayBeShort`: rows from before it was added do not have it. */
type Column = { name: string; type: string; isRequired: boolean; mayBeShort: boolean };
export type Shape = {
  name: string;
  columns: Column[];
  /** The column that is the rowid, and so not in the row; -1: none. */
  rowidAt: number;
  isIndexed: boolean;
  /** Indexes that have an entry for every row. */
  fullIndexes: string[];
};

/** Rowids after `above` and up to `upTo`. */
export type Hole = { above: number; upTo: number };

export type Salvaged = {
  shape: Shape;
  rows: () => Generator<Row>;
  holes: Hole[];
  /** The rowids that a whole index of the table has an entry for; null when there is no such index. */
  expected: () => Set<number> | null;
};

type Part = { shape: Shape; leaves: number[]; doubtful: number[]; holes: Hole[] };
const ALL: Hole = { above: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY };

/** The tables as they should be, in a database of the same schema that is sound. Words and vectors are made anew. */
export function readShapes(db: Database): Shape[] {
  const sql = "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*'";
  const tables = readAll<{ name: string; wr: number }>(db, sql);
  return tables.map(({ name, wr }) => readShape(db, name, wr === 1));
}

function readShape(db: Database, name: string, isIndexed: boolean): Shape {
  type Info = { name: string; type: string; notnull: number; dflt_value: string | null; pk: number };
  const infos = readAll<Info>(db, 'SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', name);
  const keys = infos.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const ordered = isIndexed ? [...keys, ...infos.filter(({ pk }) => pk === 0)] : infos;
  const columns = ordered.map(({ name, type, notnull, dflt_value: otherwise }) => {
    const isRequired = notnull === 1;
    return { name, type, isRequired, mayBeShort: !isRequired || otherwise !== null };
  });
  const isRowid = !isIndexed && keys.length === 1 && keys[0]?.type === 'INTEGER';
  const fullIndexes = readColumn<string>(db, 'SELECT name FROM pragma_index_list(?) WHERE partial = 0', name);
  return { name, columns, rowidAt: isRowid ? infos.findIndex(({ pk }) => pk === 1) : -1, isIndexed, fullIndexes };
}

export function salvage(file: PageFile, shapes: Shape[]): Salvaged[] {
  const seen = new Set<number>();
  const schema = readSchema(file, seen);
  const parts = new Map(shapes.map((shape) => [shape.name, newPart(shape)]));
  const indexes = new Map<string, Part>();
  for (const { type, name, root } of schema) {
    const part = type === 'table' ? parts.get(name) : newPart({ ...SCHEMA, name, isIndexed: true });
    if (type === 'index' && part) indexes.set(name, part);
    // What is of no use here is walked through all the same, so that none of its pages is taken for another's.
    walk(file, seen, part ?? newPart(SCHEMA), root);
  }
  const rooted = new Set(schema.map(({ name }) => name));
  for (const part of parts.values()) if (!rooted.has(part.shape.name)) part.holes.push(ALL);
  placeStrays(file, seen, [...parts.values()]);
  return [...parts.values()].map((part) => ({
    shape: part.shape,
    rows: () => readRows(file, part),
    holes: part.holes,
    expected: () => readExpected(file, part.shape, indexes),
  }));
}

const newPart = (shape: Shape): Part => ({ shape, leaves: [], doubtful: [], holes: [] });

const text = (name: string): Column => ({ name, type: 'TEXT', isRequired: false, mayBeShort: false });
const SCHEMA: Shape = {
  name: 'sqlite_schema',
  columns: [text('type'), text('name'), text('tbl_name'), { ...text('rootpage'), type: 'INTEGER' }, text('sql')],
  rowidAt: -1,
  isIndexed: false,
  fullIndexes: [],
};

type Root = { type: string; name: string; root: number };

/** Also when page 1, or one of those below it, is damaged: what it is made of can be told by its look. */
function readSchema(file: PageFile, seen: Set<number>): Root[] {
  const part = newPart(SCHEMA);
  walk(file, seen, part, 1);
  if (part.holes.length > 0) placeStrays(file, seen, [part], isSchemaRow);
  return [...readRows(file, part)].flatMap(({ values: [type, name, , root] }) =>
    typeof type === 'string' && typeof name === 'string' && typeof root === 'number' && root > 0 ? [{ type, name, root }] : [],
  );
}

const isSchemaRow = ([type, , , root]: Value[]) =>
  typeof type === 'string' && /^(table|index|view|trigger)$/.test(type) && typeof root === 'number';

function walk(file: PageFile, seen: Set<number>, part: Part, page: number, hole: Hole = ALL): void {
  if (page < 1 || seen.has(page)) return;
  seen.add(page);
  const kind = page <= file.count && file.isSound(page) ? file.kindOf(page) : null;
  try {
    if (kind === null) throw new Error('not a page of a table');
    // An inner page of an index holds entries, too.
    if (kind !== 'table inside') {
      for (const cell of file.cells(page)) cell.rowid.toFixed();
      part.leaves.push(page);
    }
    let above = hole.above;
    for (const child of kind.endsWith('inside') ? file.children(page) : []) {
      const upTo = Math.min(child.upTo, hole.upTo);
      walk(file, seen, part, child.page, { above, upTo });
      above = upTo;
    }
  } catch {
    // Damaged, which is what this is for.
    part.doubtful.push(page);
    part.holes.push(hole);
  }
}

/** Pages that nothing sound points to any more: each goes to the one table with a hole that all its rows fit into. */
function placeStrays(file: PageFile, seen: Set<number>, parts: Part[], isFit: (values: Value[]) => boolean = () => true): void {
  const torn = parts.filter(({ holes }) => holes.length > 0);
  if (torn.length === 0) return;
  for (let page = 2; page <= file.count; page++) {
    if (seen.has(page) || !file.isSound(page)) continue;
    const kind = file.kindOf(page);
    if (kind === null || kind === 'table inside') continue;
    const rows = readPage(file, page);
    if (!rows || rows.length === 0 || !rows.every(({ values }) => isFit(values))) continue;
    const fits = torn.filter(({ shape, holes }) => rows.every((row) => fitsShape(shape, row, kind, holes)));
    if (fits.length !== 1) continue;
    fits[0]?.leaves.push(page);
    seen.add(page);
  }
}

function readPage(file: PageFile, page: number): Row[] | null {
  try {
    return file.cells(page).map((cell) => ({ rowid: cell.rowid, values: cell.record() }));
  } catch {
    return null; // no page of rows
  }
}

function fitsShape(shape: Shape, { rowid, values }: Row, kind: string, holes: Hole[]): boolean {
  if (shape.isIndexed !== kind.startsWith('index') || values.length > shape.columns.length) return false;
  if (!shape.isIndexed && !holes.some(({ above, upTo }) => rowid > above && rowid <= upTo)) return false;
  if (!shape.columns.slice(values.length).every(({ mayBeShort }) => mayBeShort)) return false;
  return values.every((value, at) => fitsColumn(shape, value, at));
}

function fitsColumn({ columns, rowidAt }: Shape, value: Value, at: number): boolean {
  const column = columns[at];
  if (at === rowidAt) return value === null;
  if (value === null) return column?.isRequired === false;
  if (column?.type === 'INTEGER') return typeof value === 'number' || typeof value === 'bigint';
  return column?.type === 'TEXT' ? typeof value === 'string' : true;
}

function* readRows(file: PageFile, part: Part): Generator<Row> {
  for (const page of part.leaves) {
    for (const cell of file.cells(page)) {
      const values = tryRead(cell);
      if (values) yield { rowid: cell.rowid, values };
      // Its rest, on another page, is damaged.
      else part.holes.push({ above: cell.rowid - 1, upTo: cell.rowid });
    }
  }
  for (const page of part.doubtful) yield* readProven(file, part, page);
}

/** Of a damaged page only what its own hash proves. */
function* readProven(file: PageFile, { shape, holes }: Part, page: number): Generator<Row> {
  let cells: Cell[] = [];
  try {
    cells = file.cells(page);
  } catch {
    // Nothing on it can be told apart.
  }
  for (const { rowid, record } of cells) {
    const values = tryRead({ rowid, record });
    if (!values || values.length !== shape.columns.length) continue;
    const row = Object.fromEntries(shape.columns.map(({ name }, at) => [name, values[at]]));
    const isFit = fitsShape(shape, { rowid, values }, 'table', holes);
    if (isFit && isIntactRow(shape.name, row)) yield { rowid, values, isByHash: true };
  }
}

function tryRead(cell: Cell): Value[] | null {
  try {
    return cell.record();
  } catch {
    return null; // damaged: the caller counts it
  }
}

function readExpected(file: PageFile, { isIndexed, fullIndexes }: Shape, indexes: Map<string, Part>): Set<number> | null {
  const whole = isIndexed ? undefined : fullIndexes.map((name) => indexes.get(name)).find((part) => part?.holes.length === 0);
  if (!whole) return null;
  const rowids = new Set<number>();
  for (const page of whole.leaves)
    for (const cell of file.cells(page)) {
      const rowid = tryRead(cell)?.at(-1);
      if (typeof rowid !== 'number') return null;
      rowids.add(rowid);
    }
  return rowids;
}
