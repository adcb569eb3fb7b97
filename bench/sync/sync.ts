// What a hub on PostgreSQL carries: records pushed and pulled a second by 1, 16 and 64 machines through 1, 2 and 4 hub processes; how long a
// memory takes from one machine to the search of another; what it takes on the disk. `--large`: a million records of a thousand teams before.
import { join } from 'node:path';
import { SQL } from 'bun';
import { loadConfig } from '../../src/config.ts';
import type { SyncRecord } from '../../src/core/shapes/sync.ts';
import { createTeam } from '../../src/hub/accounts.ts';
import { openPostgres } from '../../src/hub/postgres.ts';
import { createHubClient, type HubClient } from '../../src/sync/client.ts';
import { loginByInvitation } from '../../src/sync/login.ts';
import { createSyncLoop } from '../../src/sync/loop.ts';
import { type Account, writeAccount } from '../../src/sync/state.ts';
import { findPostgres, type Postgres, startPostgres } from '../../test/support/postgres.ts';
import { openBlank, QUIET_LOG, say as remember } from '../../test/sync/machines.ts';
import { type BenchDeps, type Benchmark, check, type Figure } from '../spine/benchmark.ts';
import { formatMs, quantile } from '../spine/quantile.ts';

export const sync: Benchmark = { name: 'sync', about: 'a hub on PostgreSQL: records per second, lag, bytes', run: measure };

const BATCH = 50;
/** As long as a sealed observation is mostly; ciphertext cannot be compressed. */
const makePayload = () => crypto.getRandomValues(new Uint8Array(1314)).toBase64();
const PAYLOAD = makePayload();
const HASH = new Bun.CryptoHasher('sha256').update(PAYLOAD).digest('hex');

type Hub = { url: string; end: () => Promise<void> };

async function measure({ built, isQuick, isLarge, makeHome, say }: BenchDeps): Promise<Figure[]> {
  if (findPostgres() === null) {
    say('PostgreSQL is not installed');
    return [];
  }
  const postgres = await startPostgres();
  const cli = join(built.folder, 'dist/cli.js');
  const home = makeHome();
  const startHub = async (): Promise<Hub> => {
    const child = Bun.spawn([built.bun, cli, 'hub', '--database', postgres.url, '--port', '0'], {
      env: home.env,
      stdout: 'pipe',
      stderr: 'ignore',
    });
    const { value } = await child.stdout.getReader().read();
    const url = /http:\S+/.exec(new TextDecoder().decode(value))?.[0] ?? '';
    const end = async () => {
      child.kill();
      await child.exited;
    };
    return { url, end };
  };
  try {
    const storage = await openPostgres(postgres.url);
    const figures: Figure[] = [];
    if (isLarge) figures.push(await fill(postgres, say));
    for (const processes of isQuick ? [1] : [1, 2, 4]) {
      const hubs = await Promise.all(Array.from({ length: processes }, startHub));
      for (const clients of isQuick ? [1, 16] : [1, 16, 64]) {
        const invite = (n: number) => createTeam(storage, { team: `${processes} ${clients} ${n}`, admin: 'anna' }, Date.now());
        figures.push(await measureLoad({ hubs, clients, seconds: isQuick ? 2 : 4, invite }));
        say(`${processes} hubs, ${clients} machines`);
      }
      if (processes === 1)
        figures.push(
          await measureLag(hubs[0]?.url ?? '', {
            code: await createTeam(storage, { team: 'lag', admin: 'anna' }, Date.now()),
            count: isQuick ? 10 : 60,
            folder: home.home,
          }),
        );
      await Promise.all(hubs.map(({ end }) => end()));
    }
    figures.push(await measureSize(postgres));
    await storage.close();
    return figures;
  } finally {
    await postgres.stop();
  }
}

type Load = { hubs: Hub[]; clients: number; seconds: number; invite: (n: number) => Promise<string> };

/** Every machine its own account, as far apart as machines are; each talks to one hub, as a balancer would choose. */
async function measureLoad({ hubs, clients, seconds, invite }: Load): Promise<Figure> {
  const machines = await Promise.all(
    Array.from({ length: clients }, async (_, n) => {
      const hub = hubs[n % hubs.length]?.url ?? '';
      const account = await loginByInvitation({ hub, device: `machine ${n}` }, await invite(n));
      return { client: createHubClient(account), space: account.personal };
    }),
  );
  const pushed = await countFor(seconds, machines, ({ client, space }, n) => pushBatch(client, space, n));
  const cursors = new Map<string, number>();
  const pulled = await countFor(seconds, machines, async ({ client, space }) => {
    const { records, head, hasMore } = await client.pull(space, cursors.get(space) ?? 0);
    cursors.set(space, hasMore ? head : 0);
    return records.length;
  });
  const what = `${clients} machine${clients > 1 ? 's' : ''}, ${hubs.length} hub${hubs.length > 1 ? 's' : ''}`;
  const figure = `push ${Math.round(pushed)}/s, pull ${Math.round(pulled)}/s`;
  return { what, figure, ratio: null, goal: null, values: { clients, hubs: hubs.length, pushed, pulled } };
}

async function countFor<T>(seconds: number, all: T[], work: (one: T, n: number) => Promise<number>): Promise<number> {
  const from = performance.now();
  const until = from + seconds * 1000;
  const counts = await Promise.all(
    all.map(async (one) => {
      let sum = 0;
      for (let n = 0; performance.now() < until; n++) sum += await work(one, n);
      return sum;
    }),
  );
  return counts.reduce((sum, one) => sum + one, 0) / ((performance.now() - from) / 1000);
}

async function pushBatch(client: HubClient, space: string, n: number): Promise<number> {
  const clock = `${Date.now().toString(36).padStart(9, '0')}-0000-benchbench`;
  const records = Array.from({ length: BATCH }, (_, i): SyncRecord => {
    const entity = `entity-${n}-${i}`.padEnd(40, 'x');
    return { id: Bun.randomUUIDv7(), base: null, entity, kind: 'sealed', seq: n, clock, state: 'live', payload: PAYLOAD, hash: HASH };
  });
  const { results } = await client.push(space, records);
  check(
    results.every(({ kind }) => kind === 'ok'),
    'a record was not taken',
  );
  return results.length;
}

/** From the note on one machine to its words in the index of the other, both with the loop of the worker; at any time, as people note. */
async function measureLag(hub: string, { code, count, folder }: { code: string; count: number; folder: string }): Promise<Figure> {
  const first = await loginByInvitation({ hub, device: 'a' }, code);
  let onStored: () => void = () => undefined;
  const open = async (account: Account) => {
    const [db, path] = [openBlank(), join(folder, `${account.device}.json`)];
    writeAccount(path, account);
    const { config } = loadConfig('/nowhere', {});
    const nothing = async () => undefined;
    const rest = { clock: Date.now, log: QUIET_LOG as never, erase: nothing, scour: nothing };
    const loop = createSyncLoop({ db, path, config: () => config, onStored: () => onStored(), ...rest });
    await loop.now();
    return { db, loop, now: Date.now };
  };
  const a = await open(first);
  const { token, device } = await createHubClient(first).addDevice('b');
  const b = await open({ ...first, token, device });
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const word = `lagword${n}x`;
    await Bun.sleep(Math.random() * 1000);
    const { promise, resolve } = Promise.withResolvers<void>();
    onStored = () => {
      if (b.db.query('SELECT 1 FROM words WHERE words MATCH ?').get(word) !== null) resolve();
    };
    const from = performance.now();
    remember(a, `A note with ${word} in it, number ${n}`);
    a.loop.wake();
    await promise;
    times.push(performance.now() - from);
  }
  await Promise.all([a.loop.close(), b.loop.close()]);
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  const figure = `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`;
  return {
    what: 'lag from a note on A to search on B',
    figure,
    ratio: null,
    goal: { text: 'p99 <= 2 s', isReached: p99 <= 2000 },
    values: { p50, p99 },
  };
}

async function measureSize({ adminUrl }: Postgres): Promise<Figure> {
  const sql = new SQL(adminUrl, { max: 1 });
  await sql.unsafe('VACUUM ANALYZE');
  const [row] = await sql.unsafe(`SELECT (SELECT count(*) FROM records) AS records,
    (SELECT sum(pg_total_relation_size(inhrelid)) FROM pg_inherits WHERE inhparent = 'records'::regclass) AS bytes`);
  await sql.close();
  const [records, bytes] = [Number(row.records), Number(row.bytes)];
  const each = bytes / records;
  const figure = `${Math.round(each)} B each, ${records} records, ${(bytes / 1e6).toFixed(0)} MB`;
  return { what: 'a record of 1,752 characters on the disk', figure, ratio: null, goal: null, values: { each, records, bytes } };
}

const PAYLOADS = 500;
const TENANTS = 1000;
const EACH = 1000;

async function fill({ adminUrl }: Postgres, say: (line: string) => void): Promise<Figure> {
  say('a million records of a thousand teams');
  const sql = new SQL(adminUrl, { max: 1 });
  const from = performance.now();
  // As little compressible as ciphertext: some hundred payloads, each many times.
  await sql.unsafe('CREATE TEMP TABLE payloads (n INTEGER PRIMARY KEY, payload TEXT)');
  for (let n = 0; n < PAYLOADS; n++) await sql.unsafe('INSERT INTO payloads VALUES ($1, $2)', [n, makePayload()]);
  await sql.unsafe(`INSERT INTO records (tenant, space, entity, pos, id, device, member, seq, kind, clock, state, hash, payload)
    SELECT 'filled' || t, 'own-filled', md5(t || ' ' || s) || 'entity12', s, md5(s || ' ' || t), 'device12', 'member', s, 'sealed',
      '0mvx00000-0000-device12', 'live', repeat('0', 64), p.payload
    FROM generate_series(1, ${TENANTS}) t, generate_series(1, ${EACH}) s JOIN payloads p ON p.n = s % ${PAYLOADS}`);
  await sql.close();
  const seconds = (performance.now() - from) / 1000;
  return {
    what: 'filled with 1,000,000 records of 1,000 teams',
    figure: `${seconds.toFixed(0)} s`,
    ratio: null,
    goal: null,
    values: { seconds },
  };
}
