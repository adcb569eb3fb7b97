// F7 (and S10): a reader that stays keeps the write-ahead log from being emptied: said past a limit, our own readers begin anew, and it shrinks afterwards.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callApi } from '../../src/client/api.ts';
import { loadConfig } from '../../src/config.ts';
import { findPaths, type Paths } from '../../src/paths.ts';
import { startWorkerApp } from '../../src/server/app.ts';
import { createSelfWatch } from '../../src/server/self-watch.ts';
import { openStore } from '../../src/store/open.ts';
import { reportFault } from '../support/report-fault.ts';
import { until } from '../support/until.ts';

/** In a full run the limit of the product; else one that is reached in a moment. */
const LIMIT = process.env.CLAUDE_MEM_TEST_FULL ? undefined : 4 * 1024 * 1024;
const BYTES = (LIMIT ?? 256 * 1024 * 1024) + 2 * 1024 * 1024;
const KEPT_BYTES = 64 * 1024 * 1024;

let paths: Paths;
beforeEach(() => {
  paths = findPaths(mkdtempSync(join(tmpdir(), 'cmem-wal-')));
});
afterEach(() => rmSync(paths.dataDir, { recursive: true, force: true }));

const walBytes = () => statSync(`${paths.database}-wal`).size;

function openReader(): Database {
  const reader = new Database(paths.database, { readonly: true });
  reader.run('BEGIN');
  reader.query('SELECT count(*) FROM events').get();
  return reader;
}

const writeMegabyte = (db: Database) => db.run("INSERT INTO notices (name, created_at) VALUES (hex(randomblob(500000)), '')");

/** As much as a busy hour brings. */
function write(db: Database): void {
  while (walBytes() < BYTES) writeMegabyte(db);
}

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

test('the worker says so while it lasts, and the log is cut back when the reader has gone', async () => {
  const since = performance.now();
  const { config } = loadConfig('/nowhere/config.json', {});
  const settings = { config: () => config, configProblems: () => [], fromVariables: [] };
  const deps = { paths, ...settings, version: 'test', log, clock: Date.now, onDone: quiet };
  const worker = await startWorkerApp({ ...deps, ...(LIMIT && { walAlarmBytes: LIMIT }) });
  const reader = openReader();
  const writer = openStore(paths.database);
  const ask = async () => (await callApi(paths, '/health')) as { status: string; problems: { check: string }[] } | null;
  try {
    write(writer);
    // What was written here held it up: on a busy machine the first answer may come too late.
    const { status, problems } = await until(ask);
    const isSaid = problems.some(({ check }) => check === 'log of the database');
    reportFault({ fault: 'F7', runs: 1, lost: 0, twice: 0, silent: isSaid ? 0 : 1, since });
    expect({ status, isSaid }).toEqual({ status: 'degraded', isSaid: true });
    reader.close();
    await until(() => walBytes() <= Math.min(KEPT_BYTES, BYTES / 2));
    await until(async () => (await ask())?.status === 'ok');
  } finally {
    writer.close();
    await worker.close();
  }
});

test('a reader of our own is ended, and the log is emptied', () => {
  const writer = openStore(paths.database);
  let reader: Database | null = openReader();
  const nothing = () => undefined;
  const deps = { db: writer, paths, log, clock: Date.now, isOurs: () => true, onRecovered: nothing, onDone: nothing };
  const self = createSelfWatch({ ...deps, walAlarmBytes: 4 * 1024 * 1024 });
  const watch = self.facts.wal;
  let ended = 0;
  watch.addReader(() => {
    ended++;
    reader?.close();
    reader = null;
  });
  for (let at = 0; at < 6; at++) writeMegabyte(writer);
  expect(watch.isTooLarge()).toBe(true);
  watch.look();
  watch.look();
  expect({ ended, bytes: watch.bytes() }).toEqual({ ended: 1, bytes: 0 });
  self.close();
  writer.close();
});

test('what the log may keep after a checkpoint is bounded', () => {
  const db = openStore(paths.database);
  expect(db.query('PRAGMA journal_size_limit').get()).toEqual({ journal_size_limit: KEPT_BYTES });
  db.close();
});
