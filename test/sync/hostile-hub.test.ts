// A hub that means harm: it names things as it likes, answers in any order, twice, in parts or without end. Nothing leaves unsealed,
// nothing is told that nobody said, and an honest hub afterwards finds every machine in order.
import { expect, test } from 'bun:test';
import { AuditAnswer, DevicesAnswer, type MeAnswer, type PullAnswer } from '../../src/core/shapes/sync.ts';
import { createHubClient, type Fetch } from '../../src/sync/client.ts';
import {
  addMachine,
  countPendingOf,
  fetchHub,
  HUB_URL,
  loginWith,
  type Machine,
  openMachine,
  openWorld,
  project,
  say,
} from './machines.ts';

/** Answers of one path, changed on the way. */
const changing =
  <T>(honest: Fetch, path: string, change: (answer: T) => T): Fetch =>
  async (url, init) => {
    const answer = await honest(url, init);
    return url.includes(path) && answer.ok ? Response.json(change((await answer.json()) as T)) : answer;
  };

async function openPair() {
  const world = await openWorld();
  const honest = fetchHub(world.hub);
  const now = () => ++world.time.now;
  const account = await loginWith(honest, world.admin, 'one');
  const a = await openMachine('one', account, { fetch: honest, now });
  const open = async (name: string, fetch: Fetch) => openMachine(name, await addMachine(honest, account, name), { fetch, now });
  return { ...world, honest, now, account, a, open };
}

const countRecords = ({ db }: Machine) => db.query<{ n: number }, []>('SELECT count(*) AS n FROM sync_records').get()?.n ?? 0;

test('what is personal never leaves unsealed, whatever the hub calls its spaces and devices', async () => {
  const { a, account, honest, now } = await openPair();
  await a.sync.round();
  say(a, 'The canary sentence about zanzibar pelicans');
  await a.sync.stamp();
  // The person logs in again. The hub gives the device its old name, the personal space a new one, and calls the old one a team's.
  const sent: string[] = [];
  const listening: Fetch = (url, init) => {
    sent.push(String(init.body ?? ''));
    return honest(url, init);
  };
  const team = { id: account.personal, name: 'shop', project: null, head: 0 };
  const fetch = changing<MeAnswer>(listening, '/me', (me) => ({ ...me, personal: 'own-anothername', spaces: [team] }));
  const again = await openMachine('one', { ...account, personal: 'own-anothername' }, { fetch, now, db: a.db });
  await again.sync.round().catch(() => undefined);
  await again.sync.round().catch(() => undefined);
  expect(sent.some((body) => body.includes('zanzibar'))).toBe(false);
});

test('in another order, twice, in parts: the same memories as from an honest hub', async () => {
  const { a, open, honest } = await openPair();
  for (let n = 0; n < 12; n++) say(a, `Sentence ${n} about something of its own, ${n * 7}`);
  await a.sync.round();
  const ways: Record<string, (answer: PullAnswer) => PullAnswer> = {
    reordered: (said) => ({ ...said, records: said.records.toReversed() }),
    duplicated: (said) => ({ ...said, records: said.records.flatMap((one) => [one, one, one]) }),
    'old ones again': (said) => ({ ...said, records: [...said.records, ...said.records.slice(0, 3).map((one) => ({ ...one, pos: 99 }))] }),
  };
  for (const [name, change] of Object.entries(ways)) {
    const b = await open(name, changing(honest, '/pull?', change));
    for (let n = 0; n < 3; n++) await b.sync.round();
    expect([name, project(b), await countPendingOf(b)]).toEqual([name, project(a), 0]);
  }
});

test('cut ciphertext and half an answer: nothing wrong is taken in, and an honest hub makes it whole', async () => {
  const { a, open, honest, now } = await openPair();
  for (let n = 0; n < 12; n++) say(a, `Sentence ${n} about something of its own, ${n * 7}`);
  await a.sync.round();
  const cut = await open(
    'cut',
    changing<PullAnswer>(honest, '/pull?', (said) => ({
      ...said,
      records: said.records.map((one) => ({ ...one, payload: one.payload?.slice(0, -8) ?? null })),
    })),
  );
  await cut.sync.round().catch(() => undefined);
  expect((project(cut) as { memories: unknown[] }).memories).toEqual([]);
  const half = await open(
    'half',
    changing<PullAnswer>(honest, '/pull?', (said) => ({ ...said, records: said.records.slice(0, 3), head: said.head + 1_000 })),
  );
  await half.sync.round();
  const healed = await openMachine('half', half.account, { fetch: honest, now, db: half.db });
  for (let n = 0; n < 3; n++) await healed.sync.round();
  expect(project(healed)).toEqual(project(a));
});

test('a hub that promises more without end, or a place behind all places, is left alone and asked again later', async () => {
  const { open, honest, now, a } = await openPair();
  let asked = 0;
  const endless = changing<PullAnswer>(honest, '/pull?', (said) => ({ ...said, records: [], head: ++asked, hasMore: true }));
  const b = await open('endless', async (url, init) => (asked > 50 ? Promise.reject(new TypeError('cut')) : endless(url, init)));
  await b.sync.round().catch(() => undefined);
  expect(asked).toBeLessThan(10);
  const far = await open(
    'far',
    changing<PullAnswer>(honest, '/pull?', (said) => ({ ...said, head: 1e300 })),
  );
  await far.sync.round().catch(() => undefined);
  say(a, 'A sentence that comes after all of that');
  await a.sync.round();
  const healed = await openMachine('far', far.account, { fetch: honest, now, db: far.db });
  await healed.sync.round();
  expect(project(healed)).toEqual(project(a));
  expect(countRecords(healed)).toBeGreaterThan(0);
});

test('a name that is meant for the terminal of whoever lists devices or reads the audit log is only a name there', async () => {
  const { account, honest } = await openPair();
  const client = createHubClient({ hub: HUB_URL, token: account.token, fetch: honest });
  await client.addDevice('desk\u001b]0;owned\u0007\u202e\r\nanna: nothing');
  const said = [await client.call('GET', 'devices', DevicesAnswer), await client.call('GET', 'audit', AuditAnswer)];
  const names = JSON.stringify(said).match(/desk[^"]*/g) ?? [];
  expect(names).toEqual(['desk ]0;owned    anna: nothing', 'desk ]0;owned    anna: nothing']);
});
