// A job goes on when the database is held by somebody else at the moment its progress is noted.
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { insertJob } from '../../../src/store/jobs.ts';
import { createJobs } from '../../../src/worker/jobs/jobs.ts';
import { createTestStore, type TestStore } from '../../support/store.ts';
import { until } from '../../support/until.ts';

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

test('and ends as any other', async () => {
  const id = insertJob(store.db, 'vacuum', {}, Date.now());
  store.db.run('PRAGMA busy_timeout = 0');
  const other = new Database(store.db.filename);
  other.run('BEGIN IMMEDIATE');
  const run = async () => {
    other.run('ROLLBACK');
    return ['Done.'];
  };
  const kinds = { import: run, export: run, rebuild: run, vacuum: run };
  const jobs = createJobs({ db: store.db, kinds, log, clock: Date.now });
  jobs.resume();
  await until(() => jobs.read(id).status === 'done');
  expect(jobs.read(id)).toMatchObject({ result: ['Done.'], error: null });
  await jobs.close();
  other.close();
});
