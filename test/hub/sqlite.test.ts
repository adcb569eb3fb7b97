// The contract of a hub's storage, on SQLite; and what only a file can show: a disk that is full.
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../../src/hub/sqlite.ts';
import { HUB_URL } from '../sync/machines.ts';
import { describeContract, expectUpgrade, makeRecord, openTeam } from './contract.ts';

const storage = openSqlite(':memory:');
const folder = mkdtempSync(join(tmpdir(), 'claude-mem-hub-'));
afterAll(async () => {
  await storage.close();
  rmSync(folder, { recursive: true });
});
describeContract('sqlite', () => storage);

test('what an older version wrote is there after an upgrade by two processes at once, and the older one leaves it alone', () =>
  expectUpgrade(async (steps) => openSqlite(join(folder, 'upgraded.db'), steps && { steps })));

test('a full disk refuses what is new, still answers who asks, loses nothing and goes on when there is room', async () => {
  const path = join(folder, 'full.db');
  const full = openSqlite(path, { mostPages: 60 });
  const { admin, as, space, fetch } = await openTeam(full, 'full');
  const client = as(admin.token);
  const big = (n: number) => makeRecord(`entity-${n}-here`, JSON.stringify({ n, text: 'x'.repeat(20_000) }));
  let taken = 0;
  const failed = await (async () => {
    for (; ; taken++) await client.push(space, [big(taken)]);
  })().catch((error: { kind: string }) => error.kind);
  expect([failed, taken > 0]).toEqual(['away', true]);
  expect((await client.pull(space, 0)).records).toHaveLength(taken);
  expect((await fetch(`${HUB_URL}/health`, {})).status).toBe(200);
  await full.close();
  const roomy = openSqlite(path);
  const { createHub } = await import('../../src/hub/hub.ts');
  const { fetchHub, QUIET_LOG, T0 } = await import('../sync/machines.ts');
  const { createHubClient } = await import('../../src/sync/client.ts');
  const again = fetchHub(createHub({ storage: roomy, clock: () => T0, log: QUIET_LOG }));
  const later = createHubClient({ hub: HUB_URL, token: admin.token, fetch: again });
  expect((await later.push(space, [big(taken)])).results[0]?.kind).toBe('ok');
  expect((await later.pull(space, 0)).records).toHaveLength(taken + 1);
  await roomy.close();
});
