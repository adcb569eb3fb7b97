// The contract of a hub's storage on a real PostgreSQL, and what row-level security holds when the hub's own checks are gone.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openPostgres } from '../../src/hub/postgres.ts';
import type { Storage } from '../../src/hub/storage.ts';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { describeContract, makeRecord, openTeam } from './contract.ts';

// `.ci/run` installs it; elsewhere CONTRIBUTING.md says how.
describe.skipIf(findPostgres() === null)('PostgreSQL', () => {
  let postgres: Postgres;
  let storage: Storage;
  beforeAll(async () => {
    postgres = await startPostgres();
    storage = await openPostgres(postgres.url);
  }, 60_000);
  afterAll(async () => {
    await storage.close();
    await postgres.stop();
  });
  describeContract('postgres', () => storage);

  test('a second process finds the schema and answers for the first', async () => {
    const { admin, as, space } = await openTeam(storage, 'two');
    const other = await openPostgres(postgres.url);
    const { createHub } = await import('../../src/hub/hub.ts');
    const { fetchHub, HUB_URL, QUIET_LOG, T0 } = await import('../sync/machines.ts');
    const { createHubClient } = await import('../../src/sync/client.ts');
    const fetch = fetchHub(createHub({ storage: other, clock: () => T0, log: QUIET_LOG }));
    await as(admin.token).push(space, [makeRecord('entity-here', '{}')]);
    expect((await createHubClient({ hub: HUB_URL, token: admin.token, fetch }).pull(space, 0)).records).toHaveLength(1);
    expect(await other.problems()).toEqual([]);
    await other.close();
  });

  test('row-level security: a statement that names no tenant, or another one, finds and changes nothing', async () => {
    const [mine, theirs] = [await openTeam(storage, 'rls-mine'), await openTeam(storage, 'rls-theirs')];
    await theirs.as(theirs.admin.token).push(theirs.space, [makeRecord('entity-canary', '{"canary":"zanzibar"}')]);
    const tenantOf = (token: string) => token.split('-')[0] ?? '';
    const [own, other] = [tenantOf(mine.admin.token), tenantOf(theirs.admin.token)];
    const tables = ['tenants', 'members', 'devices', 'invites', 'spaces', 'records', 'audit'];
    await storage.inTenant(own, async ({ all }) => {
      for (const table of tables) {
        const rows = await all(`SELECT DISTINCT tenant FROM ${table}`);
        expect([table, rows.filter(({ tenant }) => tenant !== own)]).toEqual([table, []]);
        expect([table, await all(`SELECT tenant FROM ${table} WHERE tenant = $1`, [other])]).toEqual([table, []]);
      }
      expect(await all("UPDATE records SET payload = 'x' WHERE tenant = $1 RETURNING id", [other])).toEqual([]);
      expect(await all('DELETE FROM devices WHERE tenant = $1 RETURNING id', [other])).toEqual([]);
      // Partitions are tables, too.
      const parts = await Promise.all([...Array(16).keys()].map((n) => all(`SELECT tenant FROM records_${n} WHERE tenant = $1`, [other])));
      expect(parts.flat()).toEqual([]);
    });
    const insert = storage.inTenant(own, ({ all }) =>
      all('INSERT INTO tenants (tenant, name, created_at) VALUES ($1, $2, $3)', ['forged', 'x', 1]),
    );
    expect(insert).rejects.toThrow();
    expect((await theirs.as(theirs.admin.token).pull(theirs.space, 0)).records).toHaveLength(1);
  });
});
