// What is shown in the documents is as it is: every table and column of the database, every tool that is skipped.
import { expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS } from '../../src/settings.ts';
import { openStore } from '../../src/store/open.ts';

const read = (page: string) => readFileSync(join(import.meta.dir, '../../docs', page), 'utf8');

type Column = { name: string; type: string; notnull: number; pk: number };

/** Of its own tables a full-text index needs no words. */
const OF_AN_INDEX = /^sqlite_|_(?:data|idx|docsize|config)$/;

test('the tables and columns of docs/database.md are those of a new database', () => {
  const page = read('database.md');
  const shown = Object.fromEntries(
    [...page.matchAll(/^### (\w+)\n\n.+\n\n {4}(.+)$/gm)].map(([, table = '', columns = '']) => [table, columns.split(', ')]),
  );
  const folder = mkdtempSync(join(tmpdir(), 'claude-mem-schema-'));
  const db = openStore(join(folder, 'memory.db'));
  const tables = db.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const spell = ({ name, type, notnull, pk }: Column) =>
    [name, type, pk ? 'PRIMARY KEY' : type && !notnull ? 'NULL' : ''].filter(Boolean).join(' ');
  const columnsOf = (table: string) => db.query<Column, []>(`PRAGMA table_info("${table}")`).all().map(spell);
  const real = tables.map(({ name }) => name).filter((name) => !OF_AN_INDEX.test(name));
  expect(shown).toEqual(Object.fromEntries(real.map((name) => [name, columnsOf(name)])));
  db.close();
  rmSync(folder, { recursive: true });
});

test('docs/hooks.md lists the tools that are skipped', () => {
  const listed = /^Skipped tools[\s\S]*?\n\n((?:- .*\n)+)/m.exec(read('hooks.md'))?.[1] ?? '';
  expect([...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual([...SETTINGS.skipTools.fallback].sort());
});
