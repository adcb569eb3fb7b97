// Every column of a kept row that says whose it is or what it counts for: a change that the database did not make is found.
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { readThrough } from '../../src/backup/check.ts';
import type { Paths } from '../../src/paths.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { copyStore, fillStore } from '../support/damaged-store.ts';

/** As the database itself seals them. */
const SEALED = MIGRATIONS.flatMap(({ sql }) =>
  Array.from(sql.matchAll(/CREATE TRIGGER \w+_seal_again AFTER UPDATE OF ([\w, ]+) ON (\w+)/g), ([, columns = '', table = '']) => ({
    table,
    columns: columns.split(', '),
  })),
);

let store: Paths;
beforeAll(async () => {
  store = await fillStore(1);
});
afterAll(() => rmSync(store.dataDir, { recursive: true, force: true }));

/** Past the triggers, as damage is. */
function change(table: string, column: string): string[] {
  const { paths, dispose } = copyStore(store);
  const db = new Database(paths.database);
  db.run('PRAGMA foreign_keys = OFF');
  db.run('PRAGMA ignore_check_constraints = ON');
  const triggers = db
    .query<{ name: string }, [string]>("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? -- of a test")
    .all(table);
  for (const { name } of triggers) db.run(`DROP TRIGGER ${name}`);
  // A bit of a number, or a word more.
  const isNumber = db.query<{ type: string }, [string, string]>('SELECT type FROM pragma_table_info(?) WHERE name = ? -- of a test');
  const value = isNumber.get(table, column)?.type === 'INTEGER' ? `ifnull(${column}, 0) + 16` : `ifnull(${column}, '') || 'x'`;
  db.run(`UPDATE OR REPLACE ${table} SET ${column} = ${value} WHERE id = (SELECT max(id) FROM ${table}) -- of a test`);
  db.close(true);
  const found = readThrough(paths.database, false);
  dispose();
  return found;
}

test('a store that was only written to is as it was stored', () => {
  expect(readThrough(store.database, true)).toEqual([]);
  const db = new Database(store.database);
  expect(SEALED.map(({ table }) => table)).toEqual(['observations', 'summaries', 'turns']);
  for (const { table } of SEALED) expect(db.query(`SELECT 1 FROM ${table} WHERE seal IS NULL LIMIT 1 -- of a test`).all()).toEqual([]);
  // Whoever writes by SQLite keeps the seal.
  db.run("UPDATE observations SET pinned = 1, trust = 3, hidden_at = '2026-01-01' -- of a test");
  db.run('UPDATE observations SET pinned = 0, hidden_at = NULL -- of a test');
  db.close(true);
  expect(readThrough(store.database, true)).toEqual([]);
});

test.each(SEALED.flatMap(({ table, columns }) => columns.map((column) => [table, column] as const)))('%s.%s', (table, column) => {
  expect(change(table, column)).toEqual(['1 memories do not say what was stored']);
});
