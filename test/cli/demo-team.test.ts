// `claude-mem demo --team`: two people, three machines, a hub; on SQLite, and on a real PostgreSQL.
import { afterAll, expect, test } from 'bun:test';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { createSandbox } from '../support/sandbox.ts';

const sandbox = createSandbox();
let postgres: Postgres | null = null;
afterAll(async () => {
  await sandbox.dispose();
  await postgres?.stop();
});

const RIGHT = /by the code[\s\S]*stands 0 times[\s\S]*\[team\/anna\][\s\S]*hub it stands 0 times[\s\S]*It took/;

test('shows what arrives where, what the hub has of it, and what is forgotten', async () => {
  const { stdout, code } = await sandbox.cli('demo', '--team');
  expect([code, stdout]).toEqual([0, expect.stringMatching(RIGHT)]);
  expect(Number(/It took ([\d.]+) s/.exec(stdout)?.[1])).toBeLessThan(20);
});

test.skipIf(findPostgres() === null)(
  'does the same on PostgreSQL',
  async () => {
    postgres = await startPostgres();
    const { stdout, code } = await sandbox.cli('demo', '--postgres', postgres.url);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/hub on PostgreSQL[\s\S]*\[team\/anna\][\s\S]*It took/)]);
  },
  240_000,
);
