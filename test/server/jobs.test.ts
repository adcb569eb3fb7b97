// A job goes on when the database is held by somebody else at the moment its progress is noted.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { RunJob } from '../../src/core/job.ts';
import { Jobs } from '../../src/server/jobs.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { until } from '../support/until.ts';

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const open = (run: RunJob) =>
  new Jobs({ db: store.db, kinds: { import: run, export: run, rebuild: run, vacuum: run, backup: run }, log, clock: Date.now });

test('and ends as any other', async () => {
  const left = open((_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)));
  const { id } = left.start('vacuum', {});
  await left.close();
  store.db.run('PRAGMA busy_timeout = 0');
  const other = new Database(store.db.filename);
  other.run('BEGIN IMMEDIATE');
  const jobs = open(async () => {
    other.run('ROLLBACK');
    return ['Done.'];
  });
  jobs.resume();
  await until(() => jobs.read(id).status === 'done');
  expect(jobs.read(id)).toMatchObject({ result: ['Done.'], error: null });
  await jobs.close();
  other.close();
});
