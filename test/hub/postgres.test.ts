// The contract of a hub's storage on a real PostgreSQL, and what row-level security holds when the hub's own checks are gone.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { SearchAnswer } from '../../src/core/shapes/sync.ts';
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
  const asAdmin = async (work: (sql: SQL) => Promise<void>, database = 'hub') => {
    const sql = new SQL(postgres.adminUrl.replace(/hub$/, database), { max: 1 });
    await work(sql);
    await sql.close();
  };
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

  test('a database of the version before gets what is new, and keeps what it has', async () => {
    const { admin, as, space } = await openTeam(storage, 'before');
    await as(admin.token).push(space, [makeRecord('entity-here', '{"fields":{"words":{"title":"An older sentence"}}}')]);
    await asAdmin(async (sql) => {
      await sql.unsafe('ALTER TABLE spaces DROP COLUMN generation');
      await sql.unsafe('ALTER TABLE records DROP COLUMN words');
      await sql.unsafe('DROP FUNCTION hub_words');
      await sql.unsafe('UPDATE hub_schema SET version = 1');
    });
    const others = await Promise.all([1, 2, 3].map(() => openPostgres(postgres.url)));
    const tenant = admin.token.split('-')[0] ?? '';
    const sql = "SELECT r.entity, s.generation FROM spaces s JOIN records r ON r.space = s.id WHERE s.tenant = $1 AND r.words @@ 'older'";
    for (const one of others) expect(await one.inTenant(tenant, ({ all }) => all(sql, [tenant]))).toHaveLength(1);
    await Promise.all(others.map((one) => one.close()));
  });

  test('a server without partitions and row-level security carries records as well, and the hub says what is missing', async () => {
    await asAdmin(async (sql) => {
      await sql.unsafe('CREATE DATABASE plain OWNER hub');
    });
    await asAdmin(async (sql) => {
      await sql.unsafe(`CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
        IF current_query() ~* 'PARTITION|ROW LEVEL|POLICY|tsvector' THEN RAISE 'not supported'; END IF; END $$`);
      await sql.unsafe('CREATE EVENT TRIGGER refuse ON ddl_command_start EXECUTE FUNCTION refuse()');
    }, 'plain');
    const plain = await openPostgres(postgres.url.replace(/hub$/, 'plain'));
    const { admin, as, space } = await openTeam(plain, 'plain');
    await as(admin.token).push(space, [makeRecord('entity-here', '{"fields":{"words":{"title":"A plain sentence"}}}')]);
    expect((await as(admin.token).call('GET', 'search?query=plain', SearchAnswer)).found).toHaveLength(1);
    expect(await plain.problems()).toEqual([expect.stringContaining('no row-level security')]);
    await plain.close();
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
