// The worker's care for its database: a copy a day when it is quiet, and pages whose sums follow every way in which they are written.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listCopies, makeCopy, runChild } from '../../src/backup/copies.ts';
import { describeCopy } from '../../src/backup/copy-store.ts';
import { readDamage } from '../../src/backup/damage.ts';
import { type Guard, openGuarded } from '../../src/backup/guard.ts';
import { beginRescan, endRescan } from '../../src/forget/rescan.ts';
import { findPaths, type Paths } from '../../src/paths.ts';
import { markCopies } from '../../src/store/erasing.ts';
import { openStore } from '../../src/store/open.ts';
import { checkpoint, readSums, UNKNOWN, vacuumStore } from '../../src/store/page-sums.ts';
import { readPageUse, writePage } from '../support/damaged-store.ts';
import { holdCopy } from '../support/held-copy.ts';
import { until } from '../support/until.ts';

let paths: Paths;
let guard: Guard;
let now: number;
let done: string[];
const open = async () => {
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  guard = await openGuarded({ paths, log, clock: () => now, quietMs: () => 60_000, onDone: (why) => done.push(why) });
};
beforeEach(async () => {
  paths = findPaths(mkdtempSync(join(tmpdir(), 'cmem-guard-')));
  writeFileSync(paths.birthMark, '');
  [now, done] = [Date.now(), []];
  await open();
});
afterEach(async () => {
  await guard.close();
  rmSync(paths.dataDir, { recursive: true, force: true });
});

const count = (db: Database, names: number) => {
  const add = db.query('INSERT OR REPLACE INTO counters (name, value, updated_at) VALUES (?, ?, ?)');
  db.transaction(() => {
    for (let at = 0; at < names; at++) add.run(`a counter with a name of some length ${at * names}`, at, 'now');
  }).immediate();
};
test('every page is known once it has ended, however soon that is', async () => {
  await guard.close();
  // Made by a program that kept none.
  rmSync(paths.pageSums);
  await open();
  await guard.close();
  const sums = readSums(paths.pageSums) ?? expect.unreachable();
  const unknown = [...readPageUse(paths.database)].filter(([page]) => sums.read(page) === UNKNOWN);
  expect(unknown).toEqual([]);
  sums.close();
  await open();
});

const check = () => runChild({ kind: 'check', paths, isDeep: true });

test('a copy is made once a day when it is quiet, and replaced at once when the copies hold what is gone', async () => {
  const quiet = () => {
    guard.onQuiet();
    return listCopies(paths).length;
  };
  // Not before the first check, which comes a moment after the start.
  await until(() => quiet() === 1);
  const [first] = listCopies(paths);
  expect(describeCopy(first?.path ?? '').problem).toBeNull();
  await until(() => !guard.hasWork());
  const { ino: inode } = statSync(first?.path ?? '');
  guard.onQuiet();
  expect(guard.hasWork()).toBe(false);
  now += 90_000_000;
  markCopies(guard.db, 'stale');
  guard.onQuiet();
  await until(() => !guard.hasWork());
  const copies = listCopies(paths);
  expect(copies).toHaveLength(1);
  expect(statSync(copies[0]?.path ?? '').ino).not.toBe(inode);
});

test('a page that changes while the worker runs is found by the check of the day, and nothing is copied', async () => {
  const { db } = guard;
  count(db, 2000);
  checkpoint(db, 'TRUNCATE');
  await until(() => {
    guard.onQuiet();
    return listCopies(paths).length === 1;
  });
  await until(() => !guard.hasWork());
  const page = [...readPageUse(paths.database)].find(([, { table, mostRows }]) => table === 'counters' && mostRows > 0)?.[0] ?? 0;
  expect(writePage(paths.database, page, (bytes) => void bytes.writeUInt8(bytes.readUInt8(4000) ^ 1, 4000))).toBe(true);
  guard.onQuiet();
  expect(guard.hasWork()).toBe(false);
  now += 90_000_000;
  guard.onQuiet();
  await until(() => readDamage(paths));
  await until(() => !guard.hasWork());
  expect(readDamage(paths)?.what[0]).toContain('1 of');
  expect(guard.notice(true)).toContain('claude-mem repair');
  expect(listCopies(paths)).toHaveLength(1);
});

test('when the rules for secrets change, a copy that holds one goes, also of what the memory has let go of, and the others stay', async () => {
  const nameOf = (day: number) => join(paths.backups, `memory-2026010${day}-000000.db`);
  const copy = (day: number) => runChild({ kind: 'copy', database: paths.database, target: nameOf(day) });
  const beQuiet = async () => {
    now += 90_000_000;
    guard.onQuiet();
    await until(() => !guard.hasWork());
  };
  await until(() => {
    guard.onQuiet();
    return listCopies(paths).length === 1;
  });
  await until(() => !guard.hasWork());
  await copy(1);
  const put = guard.db.query('INSERT INTO bad_inputs VALUES (?, ?, ?, 1, ?, ?)');
  put.run('a', 'save', 'no JSON', `password = ${'q8Zt3LmW'}0xYb7`, 'now');
  await copy(2);
  guard.db.run('DELETE FROM bad_inputs');
  expect(beginRescan(guard.db, 7)).toBe('new');
  const before = listCopies(paths).map(({ path }) => statSync(path).ino);
  await beQuiet();
  // None is made of what is still looked through.
  expect(listCopies(paths).map(({ path }) => statSync(path).ino)).toEqual(before);
  endRescan(guard.db);
  await beQuiet();
  expect([1, 2].map((day) => existsSync(nameOf(day)))).toEqual([true, false]);
  expect(listCopies(paths)).toHaveLength(2);
});

test('whatever writes its pages, the sums are right: checkpoints, a vacuum, another process of ours', async () => {
  const { db } = guard;
  count(db, 5000);
  checkpoint(db, 'PASSIVE');
  expect((await check()).damage).toEqual([]);
  db.run('DELETE FROM counters');
  checkpoint(db, 'TRUNCATE');
  expect((await check()).damage).toEqual([]);
  const importing = openStore(paths.database);
  importing.run('PRAGMA wal_autocheckpoint = 0');
  count(importing, 3000);
  checkpoint(db, 'PASSIVE');
  count(importing, 6000);
  checkpoint(db, 'TRUNCATE');
  expect((await check()).damage).toEqual([]);
  importing.close(true);
  vacuumStore(db, paths.dataDir);
  checkpoint(db, 'TRUNCATE');
  expect((await check()).damage).toEqual([]);
  expect(readDamage(paths)).toBeNull();
});

test('another program that makes a checkpoint beside the worker does no damage', async () => {
  count(guard.db, 2000);
  const other = new Database(paths.database);
  other.run('PRAGMA wal_checkpoint(PASSIVE)');
  other.close(true);
  await until(async () => (await check()).damage.length === 0);
  expect(readDamage(paths)).toBeNull();
});

test('a database that the user replaced by a sound one of another time is not damaged, and repair keeps all of it', async () => {
  count(guard.db, 5000);
  await guard.close();
  const replaced = `${paths.dataDir}/other.db`;
  const other = openStore(replaced);
  count(other, 8000);
  other.run('PRAGMA journal_mode = DELETE');
  other.close(true);
  rmSync(paths.database);
  renameSync(replaced, paths.database);
  expect(await check()).toEqual({ damage: [], isForeign: true });
  const report = await runChild({ kind: 'repair', paths });
  expect(report.tables.counters).toEqual({ read: 8000, fromBackup: 0, byHash: 0, missing: 0 });
  await open();
});

test('a copy is given up when the log grows too long while it is made, and nothing is left of it', async () => {
  count(guard.db, 10);
  await guard.close();
  const why = await holdCopy(paths, () => truncateSync(`${paths.database}-wal`, 300 * 1024 * 1024));
  expect(why).toMatch(/was given up\. .*the log has 315 MB/);
  expect(readdirSync(paths.backups)).toEqual([]);
  await open();
  expect(guard.db.query('PRAGMA quick_check').get()).toEqual({ quick_check: 'ok' });
});

test('no copy is made while the log is too long', async () => {
  count(guard.db, 10);
  await guard.close();
  writeFileSync(`${paths.database}-wal`, '');
  truncateSync(`${paths.database}-wal`, 300 * 1024 * 1024);
  await expect(makeCopy(paths)).rejects.toThrow(/the log has 315 MB/);
  expect(listCopies(paths)).toEqual([]);
  rmSync(`${paths.database}-wal`);
  await open();
});
