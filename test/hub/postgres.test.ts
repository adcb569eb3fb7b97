// The contract of a hub's storage on a real PostgreSQL, and what row-level security holds when the hub's own checks are gone.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { SQL } from 'bun';
import { SearchAnswer } from '../../src/core/shapes/sync.ts';
import { createHub } from '../../src/hub/hub.ts';
import { openPostgres } from '../../src/hub/postgres.ts';
import { type Storage, TENANT_TABLES } from '../../src/hub/storage.ts';
import { findEmbedder } from '../../src/search/embed/engines.ts';
import { loadStatic } from '../../src/search/embed/static.ts';
import { createHubClient } from '../../src/sync/client.ts';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { fetchHub, HUB_URL, QUIET_LOG, T0 } from '../sync/machines.ts';
import { describeContract, expectUpgrade, makeRecord, openTeam } from './contract.ts';

/** `.ci/run` installs it, from source where there is no package of it. */
async function hasVector({ adminUrl }: Postgres): Promise<boolean> {
  const sql = new SQL(adminUrl, { max: 1 });
  const found = await sql.unsafe("SELECT 1 FROM pg_available_extensions WHERE name = 'vector'");
  await sql.close();
  return found.length > 0;
}

// `.ci/run` installs it; elsewhere CONTRIBUTING.md says how.
describe.skipIf(findPostgres() === null)('PostgreSQL', () => {
  let postgres: Postgres;
  let storage: Storage;
  beforeAll(async () => {
    postgres = await startPostgres();
    storage = await openPostgres(postgres.url);
  });
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

  test('a second process finds the schema, answers for the first, and tells who waits at it of what the first takes in', async () => {
    const { admin, as, space } = await openTeam(storage, 'two');
    const other = await openPostgres(postgres.url);
    const fetch = fetchHub(createHub({ storage: other, clock: () => T0, log: QUIET_LOG, lookMs: 20 }));
    const there = createHubClient({ hub: HUB_URL, token: admin.token, fetch });
    const news = there.wait({ [space]: 0 }, new AbortController().signal);
    await as(admin.token).push(space, [makeRecord('entity-here', '{}')]);
    expect((await news).spaces).toEqual([expect.objectContaining({ id: space, head: 1 })]);
    expect((await there.pull(space, 0)).records).toHaveLength(1);
    expect(await other.problems()).toEqual([]);
    await other.close();
  });

  test('what an older version wrote is there after an upgrade by two processes at once, and the older one leaves it alone', async () => {
    await asAdmin(async (sql) => {
      await sql.unsafe('CREATE DATABASE upgraded OWNER hub');
    });
    await expectUpgrade((steps) => openPostgres(postgres.url.replace(/hub$/, 'upgraded'), steps));
  });

  test('three processes that find an empty database make the schema once', async () => {
    await asAdmin(async (sql) => {
      await sql.unsafe('CREATE DATABASE fresh OWNER hub');
    });
    const others = await Promise.all([1, 2, 3].map(() => openPostgres(postgres.url.replace(/hub$/, 'fresh'))));
    const { admin } = await openTeam(others[0] ?? storage, 'fresh');
    const tenant = admin.token.split('-')[0] ?? '';
    const sql = 'SELECT name FROM spaces WHERE tenant = $1 AND owner IS NULL';
    for (const one of others) expect(await one.inTenant(tenant, ({ all }) => all(sql, [tenant]))).toEqual([{ name: 'shop' }]);
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

  test('what a team published is found by its meaning, too, where the server has pgvector; of others nothing, and no more once it is gone', async () => {
    if (!(await hasVector(postgres))) return console.warn('pgvector is not installed: search by meaning at the hub was not tested');
    await asAdmin(async (sql) => {
      await sql.unsafe('CREATE DATABASE meaning OWNER hub');
    });
    const url = postgres.url.replace(/hub$/, 'meaning');
    // Made before the extension is there, as most are.
    const before = await openPostgres(url);
    const embedder = loadStatic(findEmbedder().assets);
    const [mine, theirs] = [await openTeam(before, 'meaning', embedder), await openTeam(before, 'apart', embedder)];
    const find = async (team: typeof mine, query: string, fetch = team.fetch) =>
      (
        await createHubClient({ hub: HUB_URL, token: team.admin.token, fetch }).call(
          'GET',
          `search?query=${encodeURIComponent(query)}`,
          SearchAnswer,
        )
      ).found.map(({ title }) => title);
    const said = (title: string) => JSON.stringify({ fields: { words: { title, narrative: null } } });
    const cents = makeRecord('entity-cents', said('Store money amounts as integer cents'));
    const records = [
      cents,
      makeRecord('entity-queue', said('The deployment runs on Kubernetes clusters')),
      makeRecord('entity-junk', 'no json'),
    ];
    await mine.as(mine.admin.token).push(mine.space, records);
    await theirs
      .as(theirs.admin.token)
      .push(theirs.space, [makeRecord('entity-theirs', said('Prices are kept as integer cents of money'))]);
    const question = 'how do we keep prices and currency values';
    expect(await find(mine, question)).toEqual([]);
    await asAdmin(async (sql) => {
      await sql.unsafe('CREATE EXTENSION vector');
    }, 'meaning');
    const after = await openPostgres(url);
    const fetch = fetchHub(createHub({ storage: after, clock: () => T0, log: QUIET_LOG, embedder }));
    expect(await find(mine, question, fetch)).toEqual(['Store money amounts as integer cents']);
    expect([await find(mine, 'zebra lanterns of the harbour', fetch), await find(mine, 'wie merken wir uns die Preise', fetch)]).toEqual([
      [],
      [],
    ]);
    // Other words, another meaning; forgotten, none: neither is the vector left.
    const changed = makeRecord('entity-cents', said('The office has a new coffee machine'), { base: cents.id });
    const client = createHubClient({ hub: HUB_URL, token: mine.admin.token, fetch });
    await client.push(mine.space, [changed]);
    expect(await find(mine, question, fetch)).toEqual([]);
    expect(await find(mine, 'where do I get a cup of coffee', fetch)).toEqual(['The office has a new coffee machine']);
    // By a process that has not heard of the extension.
    await mine.as(mine.admin.token).push(mine.space, [makeRecord('entity-cents', null, { state: 'forgotten' })]);
    const tenant = mine.admin.token.split('-')[0] ?? '';
    const left = await after.inTenant(tenant, ({ all }) =>
      all('SELECT entity FROM records WHERE tenant = $1 AND meaning IS NOT NULL ORDER BY entity', [tenant]),
    );
    expect(left.map(({ entity }) => entity)).toEqual(['entity-junk', 'entity-queue']);
    await Promise.all([before.close(), after.close()]);
  });

  test('what a team took back or replaced is in no page of the tables', async () => {
    const { admin, as, space } = await openTeam(storage, 'scoured');
    const client = as(admin.token);
    const said = (word: string) => JSON.stringify({ fields: { words: { title: `A decision about ${word}` } } });
    const [edited, gone] = [makeRecord('entity-edited', said('zanzibarpelican')), makeRecord('entity-gone', said('quixoticmarmot'))];
    await client.push(space, [edited, gone, makeRecord('entity-after', said('lanterns'))]);
    const tables = `${postgres.folder}/data/base`;
    const listWith = async (word: string) => {
      await asAdmin(async (sql) => void (await sql.unsafe('CHECKPOINT')));
      const files = readdirSync(tables, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
      return files.filter((file) => readFileSync(`${file.parentPath}/${file.name}`).includes(word)).map(({ name }) => name);
    };
    expect(await listWith('zanzibarpelican')).not.toEqual([]);
    await client.push(space, [makeRecord('entity-edited', said('herons'), { base: edited.id })]);
    await client.push(space, [makeRecord('entity-gone', null, { state: 'forgotten', base: gone.id })]);
    expect([await listWith('zanzibarpelican'), await listWith('quixoticmarmot')]).toEqual([[], []]);
    expect((await client.pull(space, 0)).records).toHaveLength(3);
  });

  test('row-level security: a statement that names no tenant, or another one, finds and changes nothing', async () => {
    const [mine, theirs] = [await openTeam(storage, 'rls-mine'), await openTeam(storage, 'rls-theirs')];
    await theirs.as(theirs.admin.token).push(theirs.space, [makeRecord('entity-canary', '{"canary":"zanzibar"}')]);
    const tenantOf = (token: string) => token.split('-')[0] ?? '';
    const [own, other] = [tenantOf(mine.admin.token), tenantOf(theirs.admin.token)];
    const tables = TENANT_TABLES;
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
