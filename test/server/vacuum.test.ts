// Vacuum gives back disk, loses nothing, and refuses where there is no room for it.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../../src/log.ts';
import { openIndex } from '../../src/search/index-db.ts';
import { runVacuum } from '../../src/server/jobs.ts';
import { openStore } from '../../src/store/open.ts';
import { checkDocuments } from '../store/check-documents.ts';
import { createControl } from '../support/job-control.ts';
import { openShelf } from '../support/memories.ts';

const quiet = () => undefined;
const LOG: Log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cmem-it's-vacuum-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Most of it is deleted again. */
function fill() {
  const paths = { database: join(folder, 'memory.db'), indexDatabase: join(folder, 'index.db') };
  const db = openStore(paths.database);
  const shelf = openShelf(db, '/work/shop', 'session-1');
  db.transaction(() => {
    for (let one = 0; one < 1500; one++) shelf.observe(`Number ${one}`, one, { narrative: `word${one} `.repeat(100) });
  }).immediate();
  db.query('DELETE FROM observations WHERE id % 10 > 0').run();
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  return { db, paths };
}

test('disk comes back, memories stay, and the index goes on', async () => {
  const { db, paths } = fill();
  const index = openIndex(paths.indexDatabase);
  const insert = index.query('INSERT INTO vectors VALUES (?, ?)');
  index.transaction(() => {
    for (let key = 0; key < 3000; key++) insert.run(key, Buffer.alloc(400));
  })();
  index.run('DELETE FROM vectors WHERE key > 10');
  const before = statSync(paths.database).size;
  const said = await runVacuum({ db, paths, log: LOG })({}, createControl());
  expect(statSync(paths.database).size).toBeLessThan(before / 2);
  expect(said[0]).toMatch(/^memory\.db {2}\d+\.\d MB → \d+\.\d MB$/);
  expect(said[1]).toMatch(/^index\.db {3}[1-9]\.\d MB → 0\.\d MB$/);
  expect(db.query('SELECT count(*) AS n FROM observations').get()).toEqual({ n: 150 });
  expect(db.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(db.query("SELECT count(*) AS n FROM words WHERE words MATCH 'word9'").get()).toEqual({ n: 1 });
  expect(index.query('SELECT count(*) AS n FROM vectors').get()).toEqual({ n: 11 });
  checkDocuments(db);
  index.close(true);
  db.close(true);
  expect(readdirSync(folder).filter((name) => name.startsWith('etilqs'))).toEqual([]);
});

test('without room on the disk nothing is done, and it says how much is missing', async () => {
  const { db, paths } = fill();
  const before = statSync(paths.database).size;
  const vacuum = runVacuum({ db, paths, log: LOG, freeBytes: () => 1e6 });
  expect(vacuum({}, createControl())).rejects.toThrow(/^There is not enough room on the disk: \d+\.\d MB .* 1\.0 MB are free/);
  expect(statSync(paths.database).size).toBe(before);
  db.close(true);
});
