// hole-P1: SQLite before 3.51 could not read the schema at all: no sqlite3, no Python, and no worker where Bun uses the system's own.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { bash, sessionStart, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { askSystemSqlite, copyStore } from '../support/system-sqlite.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
beforeAll(() => {
  sandbox = createSandbox();
});
afterAll(() => sandbox.dispose());

describe('hole-P1', () => {
  test('a store that hooks filled is opened, checked and searched by the system’s sqlite3', async () => {
    const shop = sandbox.project('shop');
    await sandbox.startWorker();
    await sandbox.hook('context', sessionStart('s1', shop));
    await sandbox.hook('new', userPrompt('s1', shop, 'Make the queue survive a crash'));
    await sandbox.hook('save', bash('s1', shop, 'npm test', '12 passed'));
    await sandbox.hook(
      'summary',
      stop('s1', shop, 'The queue survives a crash now: jobs are written before the answer.'),
    );
    await until(() => sandbox.query('SELECT 1 FROM summaries').length > 0);
    const copy = join(sandbox.home, 'copy.db');
    copyStore(sandbox.paths.database, copy);
    expect(askSystemSqlite(copy, 'PRAGMA integrity_check')).toBe('ok');
    expect(askSystemSqlite(copy, "SELECT count(*) > 0 FROM words WHERE words MATCH 'crash'")).toBe('1');
  });

  test('it makes a store of its own by the same steps', () => {
    const path = join(sandbox.home, 'made.db');
    for (const { sql } of MIGRATIONS) askSystemSqlite(path, `BEGIN;${sql};COMMIT;`);
    expect(askSystemSqlite(path, 'PRAGMA integrity_check')).toBe('ok');
  });
});
