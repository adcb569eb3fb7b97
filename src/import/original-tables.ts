// Tables of another program's database, read by whatever columns they have, page by page; and what a column holds, in our terms.
import type { Database } from 'bun:sqlite';

/**
 * Our name for a value, and the columns that may hold it: over the years they were called differently. The first that
 * says something counts.
 */
export type Wanted<Name extends string> = Record<Name, readonly string[]>;

export type Value = string | number | null;
export type Row<Name extends string> = { row: number } & Record<Name, Value>;

const PAGE = 50;
/** No memory is longer. Of a value that is, the beginning. */
const LONGEST_TEXT = 500_000;
/** So many in one table: the rest of it is not worth the search. */
const MOST_UNREADABLE = 20_000;

/** In the order of their ids; null for each that lies in a damaged part of the file. Nothing when there is no such table. */
export function* readTable<Name extends string>(db: Database, table: string, wanted: Wanted<Name>): Generator<Row<Name> | null> {
  const columns = listColumns(db, table);
  if (columns.length === 0) return;
  const id = columns.includes('id') ? '"id"' : 'rowid';
  const names = Object.entries<readonly string[]>(wanted).map(([name, spellings]) => {
    const there = spellings.filter((spelling) => columns.includes(spelling)).map(cutLong);
    return `coalesce(${[...there, 'NULL', 'NULL'].join(', ')}) AS "${name}"`;
  });
  const select = `SELECT ${id} AS row, ${names.join(', ')} FROM "${table}"`;
  const last = lastId(db, table, id);
  let unreadable = 0;
  for (let from = -1; from < last && unreadable < MOST_UNREADABLE; ) {
    const page = readPage<Name>(db, { select, id, from, last });
    from = page.to;
    unreadable += page.rows.filter((row) => row === null).length;
    yield* page.rows;
  }
}

const cutLong = (column: string) =>
  `CASE typeof("${column}") WHEN 'text' THEN substr("${column}", 1, ${LONGEST_TEXT}) WHEN 'blob' THEN NULL ELSE "${column}" END`;

function lastId(db: Database, table: string, id: string): number {
  try {
    return db.query<{ last: number | null }, []>(`SELECT max(${id}) AS last FROM "${table}"`).get()?.last ?? -1;
  } catch (error) {
    if (!isDamage(error)) throw error;
    // Not even its end is there: nothing else of it will be.
    return -1;
  }
}

/** Up to the row `to`. */
type Page<Name extends string> = { rows: (Row<Name> | null)[]; to: number };
type Reading = { select: string; id: string; from: number; last: number };

/** The next rows. Where the file is damaged it is narrowed down to the rows that nobody can read. */
function readPage<Name extends string>(db: Database, { select, id, from, last }: Reading): Page<Name> {
  try {
    const rows = db.query<Row<Name>, [number, number]>(`${select} WHERE ${id} > ? ORDER BY ${id} LIMIT ? + 0`).all(from, PAGE);
    const to = rows.length < PAGE ? last : (rows.at(-1)?.row ?? last);
    return { rows, to };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return readSingly(db, { select, id, from, last: Math.min(last, from + PAGE) });
  }
}

function readSingly<Name extends string>(db: Database, { select, id, from, last }: Reading): Page<Name> {
  const one = db.query<Row<Name>, [number]>(`${select} WHERE ${id} = ?`);
  const rows: Page<Name>['rows'] = [];
  for (let row = from + 1; row <= last; row++) {
    try {
      const found = one.get(row);
      if (found) rows.push(found);
    } catch (error) {
      if (!isDamage(error)) throw error;
      rows.push(null);
    }
  }
  return { rows, to: last };
}

const isDamage = (error: unknown) => error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(String(error.code));

/** Of a plain table only: a view or a virtual table may be anything. */
export function listColumns(db: Database, table: string): string[] {
  const isPlain = db.query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'").get(table);
  if (!isPlain) return [];
  return db
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name);
}

const TABLES = ['sdk_sessions', 'user_prompts', 'observations', 'session_summaries'];

/** About as many as there are, where the file is damaged. */
export const countOriginalRows = (db: Database) => TABLES.reduce((sum, table) => sum + countRows(db, table), 0);

function countRows(db: Database, table: string): number {
  if (listColumns(db, table).length === 0) return 0;
  try {
    return db.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${table}"`).get()?.n ?? 0;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return Math.max(0, lastId(db, table, 'rowid'));
  }
}

const OWN_COLUMNS = ['content_session_id', 'claude_session_id', 'memory_session_id', 'sdk_session_id'];

/** A table by one of these names may be anybody's; with a column for the other program's own sessions in it, it is that program's. */
export const hasOriginalTables = (db: Database) =>
  TABLES.some((table) => listColumns(db, table).some((column) => OWN_COLUMNS.includes(column)));

/** Null for what says nothing. */
export function readText(value: Value): string | null {
  if (value === null) return null;
  const text = String(value).toWellFormed();
  return text.trim() === '' ? null : text;
}

/** A JSON list, or lines of text where it is none. */
export function readList(value: Value): string[] {
  const text = readText(value);
  if (text === null) return [];
  const items = parseList(text) ?? text.split('\n');
  const said = items.map((item) => item.replace(/^\s*(?:[-*•]\s+)?/, '').trim()).filter((item) => item !== '');
  return [...new Set(said)].slice(0, MOST_ITEMS);
}

const MOST_ITEMS = 500;

function parseList(text: string): string[] | null {
  if (!/^\s*[["{]/.test(text)) return null;
  try {
    return textsIn(JSON.parse(text));
  } catch {
    // It only begins like JSON: it is read as lines.
    return null;
  }
}

/** Of an entry that is an object, what it says. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  const said = Object.entries(value).find(([key]) => ['text', 'fact', 'path', 'file', 'name', 'title'].includes(key));
  return typeof said?.[1] === 'string' ? [said[1]] : [];
}

/** As a whole number from one on; null for anything else. */
export function readCount(value: Value): number | null {
  const number = typeof value === 'string' ? Number(value) : value;
  return number !== null && Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** Epoch ms. The number may be of seconds or even microseconds; the text is asked where there is none. Null when neither tells. */
export function readTime(epoch: Value, text: Value): number | null {
  const number = typeof epoch === 'string' ? Number(epoch) : epoch;
  if (number !== null && Number.isFinite(number) && number > 0) return inRange(toMs(number));
  if (typeof text !== 'string') return null;
  const parsed = Date.parse(/^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(parsed) ? null : inRange(parsed);
}

const SECONDS_END = 100_000_000_000;
const MS_END = 100_000_000_000_000;

function toMs(epoch: number): number {
  if (epoch < SECONDS_END) return Math.round(epoch * 1000);
  return epoch < MS_END ? Math.round(epoch) : Math.round(epoch / 1000);
}

/** Before 2000 or after 2100 it is no time that anybody worked at. */
const inRange = (ms: number) => (ms > 946_684_800_000 && ms < 4_102_444_800_000 ? ms : null);
