// What can still be read of a damaged database: the rows of each table from its sound pages, and between which rowids some are missing.
import type { Database } from 'bun:sqlite';
import { isIntactRow } from '../store/memories/row-hashes.ts';
import type { Cell, PageFile, Row, Value } from './pages.ts';

/** `mayBeShort`: rows from before it was added do not have it. */
export type Column = { name: string; type: string; isRequired: boolean; mayBeShort: boolean };
export type Shape = {
  name: string;
  /** In the order in which a row has them. */
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
  /** Where rows may be missing; known when the rows were read. */
  holes: Hole[];
  /** The rowids that a whole index of the table has an entry for; null when there is no such index. */
  expected: () => Set<number> | null;
};

type Part = { shape: Shape; leaves: number[]; doubtful: number[]; holes: Hole[] };
const ALL: Hole = { above: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY };

/** The tables as they should be, in a database of the same schema that is sound. Words and vectors are made anew. */
export function readShapes(db: Database): Shape[] {
  const tables = db
    .query<{ name: string; wr: number }, []>(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT GLOB 'sqlite_*'",
    )
    .all();
  return tables.map(({ name, wr }) => readShape(db, name, wr === 1));
}

function readShape(db: Database, name: string, isIndexed: boolean): Shape {
  type Info = { name: string; type: string; notnull: number; dflt_value: string | null; pk: number };
  const infos = db
    .query<Info, [string]>('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)')
    .all(name);
  const keys = infos.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  const ordered = isIndexed ? [...keys, ...infos.filter(({ pk }) => pk === 0)] : infos;
  const columns = ordered.map(({ name, type, notnull, dflt_value: otherwise }) => {
    const isRequired = notnull === 1;
    return { name, type, isRequired, mayBeShort: !isRequired || otherwise !== null };
  });
  const isRowid = !isIndexed && keys.length === 1 && keys[0]?.type === 'INTEGER';
  const fullIndexes = db
    .query<{ name: string }, [string]>('SELECT name FROM pragma_index_list(?) WHERE partial = 0')
    .all(name)
    .map((index) => index.name);
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
    typeof type === 'string' && typeof name === 'string' && typeof root === 'number' && root > 0
      ? [{ type, name, root }]
      : [],
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
function placeStrays(
  file: PageFile,
  seen: Set<number>,
  parts: Part[],
  isFit: (values: Value[]) => boolean = () => true,
): void {
  const torn = parts.filter(({ holes }) => holes.length > 0);
  if (torn.length === 0) return;
  for (let page = 2; page <= file.count; page++) {
    if (seen.has(page) || !file.isSound(page)) continue;
    const kind = file.kindOf(page);
    if (kind === null || kind === 'table inside') continue;
    const rows = readAll(file, page);
    if (!rows || rows.length === 0 || !rows.every(({ values }) => isFit(values))) continue;
    const fits = torn.filter(({ shape, holes }) => rows.every((row) => fitsShape(shape, row, kind, holes)));
    if (fits.length !== 1) continue;
    fits[0]?.leaves.push(page);
    seen.add(page);
  }
}

function readAll(file: PageFile, page: number): Row[] | null {
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

function readExpected(
  file: PageFile,
  { isIndexed, fullIndexes }: Shape,
  indexes: Map<string, Part>,
): Set<number> | null {
  const whole = isIndexed
    ? undefined
    : fullIndexes.map((name) => indexes.get(name)).find((part) => part?.holes.length === 0);
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
