// Tables of another program's database, read by whatever columns they have, page by page.
import type { Database } from 'bun:sqlite';

/** Our name for a value, and the columns that may hold it: over the years they were called differently. The first that says something counts. */
export type Wanted<Name extends string> = Record<Name, readonly string[]>;

export type Value = string | number | null;
export type Row<Name extends string> = { row: number } & Record<Name, Value>;

export type Page<Name extends string> = {
  rows: Row<Name>[];
  /** Rows in damaged parts of the file. */
  unreadable: number;
};

const PAGE = 50;
/** No memory is longer. Of a value that is, the beginning. */
const LONGEST_TEXT = 500_000;
/** So many in one table: the rest of it is not worth the search. */
const MOST_UNREADABLE = 20_000;

/** In the order of their ids. Nothing when there is no such table. */
export function* readTable<Name extends string>(
  db: Database,
  table: string,
  wanted: Wanted<Name>,
): Generator<Page<Name>> {
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
    unreadable += page.unreadable;
    yield page;
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

type Reading = { select: string; id: string; from: number; last: number };

/** The next rows. Where the file is damaged it is narrowed down to the rows that nobody can read. */
function readPage<Name extends string>(db: Database, { select, id, from, last }: Reading): Page<Name> & { to: number } {
  try {
    const rows = db
      .query<Row<Name>, [number, number]>(`${select} WHERE ${id} > ? ORDER BY ${id} LIMIT ?`)
      .all(from, PAGE);
    const to = rows.length < PAGE ? last : (rows.at(-1)?.row ?? last);
    return { rows, unreadable: 0, to };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return readSingly(db, { select, id, from, last: Math.min(last, from + PAGE) });
  }
}

function readSingly<Name extends string>(
  db: Database,
  { select, id, from, last }: Reading,
): Page<Name> & { to: number } {
  const one = db.query<Row<Name>, [number]>(`${select} WHERE ${id} = ?`);
  const rows: Row<Name>[] = [];
  let unreadable = 0;
  for (let row = from + 1; row <= last; row++) {
    try {
      const found = one.get(row);
      if (found) rows.push(found);
    } catch (error) {
      if (!isDamage(error)) throw error;
      unreadable++;
    }
  }
  return { rows, unreadable, to: last };
}

const isDamage = (error: unknown) =>
  error instanceof Error && 'code' in error && /^SQLITE_(CORRUPT|NOTADB|IOERR)/.test(String(error.code));

/** Of a plain table only: a view or a virtual table may be anything. */
export function listColumns(db: Database, table: string): string[] {
  const isPlain = db
    .query("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ? AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .get(table);
  if (!isPlain) return [];
  return db
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => name);
}

/** About as many as there are, where the file is damaged. */
export function countRows(db: Database, table: string): number {
  if (listColumns(db, table).length === 0) return 0;
  try {
    return db.query<{ n: number }, []>(`SELECT count(*) AS n FROM "${table}"`).get()?.n ?? 0;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return Math.max(0, lastId(db, table, 'rowid'));
  }
}

const SESSION_TABLES = ['sdk_sessions', 'streaming_sessions', 'sessions'];
const MEMORY_TABLES = ['user_prompts', 'observations', 'session_summaries', 'memories', 'overviews'];
export const PEER_TABLES = [...SESSION_TABLES, ...MEMORY_TABLES];

/** A table by one of these names may be anybody's; with a column for the other program's own sessions in it, it is that program's. */
export function hasPeerTables(db: Database): boolean {
  return PEER_TABLES.some((table) => {
    const columns = listColumns(db, table);
    return (
      ['content_session_id', 'claude_session_id', 'memory_session_id', 'sdk_session_id'].some((name) =>
        columns.includes(name),
      ) ||
      (columns.includes('session_id') && columns.includes('project') && columns.includes('created_at_epoch'))
    );
  });
}
