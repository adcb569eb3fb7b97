// The short ways to ask the database: rows, one row, one value, one column, whether there is a row, how many.
import type { Database, SQLQueryBindings } from 'bun:sqlite';

/** All rows. `Row` is what the schema and the SQL say of them. */
export const readAll = <Row>(db: Database, sql: string, ...values: SQLQueryBindings[]): Row[] =>
  db.query<Row, SQLQueryBindings[]>(sql).all(...values);

export const readFirst = <Row>(db: Database, sql: string, ...values: SQLQueryBindings[]): Row | null =>
  db.query<Row, SQLQueryBindings[]>(sql).get(...values);

export const exists = (db: Database, sql: string, ...values: SQLQueryBindings[]): boolean => db.query(sql).get(...values) !== null;

/** The first column of the first row; null when there is none. `Value` is what the schema says of it. */
export const readValue = <Value>(db: Database, sql: string, ...values: SQLQueryBindings[]): Value | null =>
  readColumn<Value>(db, sql, ...values)[0] ?? null;

/** The first column of all rows. */
export const readColumn = <Value>(db: Database, sql: string, ...values: SQLQueryBindings[]): Value[] =>
  db
    .query(sql)
    .values(...values)
    .map(([value]) => value as Value);

/** `from` is SQL: a table, and a condition where not all of its rows count. */
export const countRows = (db: Database, from: string, ...values: SQLQueryBindings[]): number =>
  readValue<number>(db, `SELECT count(*) FROM ${from}`, ...values) ?? 0;

/**
 * Columns as one text, for a SQLite that has no concat_ws yet (3.44). What is NULL is left out, what is empty is not. The separator is one
 * character. By bytes: substr ends a text at a NUL.
 */
export function joinTexts(columns: string, separator = 'char(10)'): string {
  const texts = columns.split(',').map((column) => `coalesce(${separator} || ${column.trim()}, '')`);
  return `CAST(substr(CAST(${texts.join(' || ')} AS BLOB), 2) AS TEXT)`;
}

/** Bytes that memories take, without raw payloads, which go by themselves. */
export const usedBytes = (db: Database): number => {
  const sql = `SELECT (page_count - freelist_count) * page_size
      - (SELECT coalesce(sum(length(CAST(payload AS BLOB))), 0) FROM events WHERE payload IS NOT NULL)
    FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()`;
  return readValue(db, sql) ?? 0;
};
