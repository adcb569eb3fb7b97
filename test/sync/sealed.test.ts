// What somebody has who owns the hub: its database, its disk, its log, and every answer that it gives. Nothing of a personal memory, no
// token that works; and whatever they change is noticed.

import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { DevicesAnswer, type PullAnswer } from '../../src/core/shapes/sync.ts';
import { createTeam } from '../../src/hub/accounts.ts';
import { createHub } from '../../src/hub/hub.ts';
import { openPostgres } from '../../src/hub/postgres.ts';
import { openSqlite } from '../../src/hub/sqlite.ts';
import type { Storage } from '../../src/hub/storage.ts';
import { createHubClient, type Fetch, HubCallError } from '../../src/sync/client.ts';
import { makeSeed, readPhrase, writePhrase } from '../../src/sync/crypto.ts';
import { joinByCode, loginByInvitation, offerPairing } from '../../src/sync/login.ts';
import { makeCode, readCode } from '../../src/sync/pairing.ts';
import { makeRecord } from '../hub/contract.ts';
import { findPostgres, type Postgres, startPostgres } from '../support/postgres.ts';
import { addMachine, fetchHub, forget, HUB_URL, loginWith, openMachine, openWorld, project, say } from './machines.ts';

const folder = mkdtempSync(`${tmpdir()}/claude-mem-sealed-`);
let postgres: Postgres | null = null;
beforeAll(async () => {
  postgres = findPostgres() === null ? null : await startPostgres();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await postgres?.stop();
});

const CANARIES = ['zanzibarpelican', 'quixoticmarmot', 'shopprojectname'];

/** Every file below, as bytes. */
const readAll = (path: string): Buffer[] =>
  statSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => readAll(`${path}/${name}`))
    : statSync(path).isFile()
      ? [readFileSync(path)]
      : [];

async function fill(storage: Storage) {
  const world = await openWorld(storage);
  const fetch = fetchHub(world.hub);
  const account = await loginWith(fetch, world.admin, 'laptop');
  const machine = await openMachine('laptop', account, { fetch, now: () => ++world.time.now });
  const place = { key: 'example.org/shopprojectname', name: 'shopprojectname', root: '', remote: null };
  say(machine, 'The canary sentence about zanzibarpelican and nothing else', place);
  forget(machine, say(machine, 'The forgotten sentence about quixoticmarmot and nothing else', place));
  await machine.sync.round();
  return { machine, account, fetch };
}

test.each(['sqlite', 'postgres'] as const)('a stolen disk of a hub on %s has no word of it and no token', async (kind) => {
  if (kind === 'postgres' && !postgres) return;
  const path = kind === 'sqlite' ? `${folder}/disk` : (postgres?.folder ?? '');
  if (kind === 'sqlite') rmSync(path, { recursive: true, force: true });
  if (kind === 'sqlite') mkdirSync(path);
  const storage = kind === 'sqlite' ? openSqlite(`${path}/hub.db`) : await openPostgres(postgres?.url ?? '');
  const { account } = await fill(storage);
  if (kind === 'postgres') {
    const { SQL } = await import('bun');
    const sql = new SQL(postgres?.adminUrl ?? '', { max: 1 });
    await sql.unsafe('CHECKPOINT');
    await sql.close();
  }
  const files = readAll(path);
  expect(files.length).toBeGreaterThan(0);
  const secret = account.token.split('-')[2] ?? '-';
  for (const word of [...CANARIES, secret, account.seed]) expect([word, files.some((file) => file.includes(word))]).toEqual([word, false]);
  await storage.close();
});

test('the log of a hub has kinds of errors and paths, whatever the database says', async () => {
  const said: unknown[] = [];
  const note = (...all: unknown[]) => void said.push(...all);
  const storage = openSqlite(':memory:');
  const { account } = await fill(storage);
  const failing = { ...storage, inTenant: () => Promise.reject(new Error(`cannot insert ${CANARIES[0]} of ${account.token}`)) };
  const hub = createHub({ storage: failing, clock: () => 0, log: { warn: note, error: note } });
  const client = createHubClient({ hub: HUB_URL, token: account.token, fetch: fetchHub(hub) });
  const told = await client.push(account.personal, [makeRecord('entity-one', CANARIES[1] ?? '')]).catch(({ message }: Error) => message);
  const all = JSON.stringify([said, told]);
  expect(all).toContain('/v1/push');
  for (const word of [...CANARIES, account.token.split('-')[2] ?? '-']) expect([word, all.includes(word)]).toEqual([word, false]);
});

test('what the hub changes, exchanges, forges or brings back is not applied, and counted', async () => {
  const world = await openWorld();
  const honest = fetchHub(world.hub);
  const first = await loginWith(honest, world.admin, 'one');
  const a = await openMachine('one', first, { fetch: honest, now: () => ++world.time.now });
  say(a, 'The first sentence that stays as it is');
  say(a, 'The second sentence that stays as it is');
  await a.sync.round();
  const put = (record: PullAnswer['records'][number] | undefined, change: object) => void Object.assign(record ?? {}, change);
  const evil: Record<string, (answer: PullAnswer) => void> = {
    'a changed payload': ({ records: [one] }) => put(one, { payload: `${one?.payload?.slice(0, 40)}AAAA${one?.payload?.slice(44)}` }),
    'one in the place of another': ({ records: [one, two] }) => put(one, { payload: two?.payload }),
    'a forged deletion': ({ records }) => {
      for (const one of records) put(one, { state: 'forgotten', id: Bun.randomUUIDv7() });
    },
    'another version': ({ records: [one] }) => put(one, { clock: one?.clock.replace(/^0/, '1') }),
    'plain words': ({ records: [one] }) => put(one, { payload: '{"entity":"12345678","kind":"observation","clocks":{},"fields":{}}' }),
  };
  for (const [name, change] of Object.entries(evil)) {
    const lying: Fetch = async (url, init) => {
      const answer = await honest(url, init);
      if (!url.includes('/pull?')) return answer;
      const said = (await answer.json()) as PullAnswer;
      change(said);
      return Response.json(said);
    };
    const b = await openMachine('two', await addMachine(honest, first, `two-${name.length}`), {
      fetch: lying,
      now: () => ++world.time.now,
    });
    await b.sync.round();
    const counted = b.db.query<{ value: number }, []>("SELECT value FROM counters WHERE name = 'sync:unreadable'").get()?.value ?? 0;
    expect([name, counted > 0]).toEqual([name, true]);
    const { memories } = project(b) as { memories: { title: string }[] };
    expect([name, memories.every(({ title }) => /^The (first|second) sentence that stays as it is$/.test(title))]).toEqual([name, true]);
    // A deletion that nobody made does not reach the machine that has the memory either.
    await (await openMachine('one', first, { fetch: lying, now: () => ++world.time.now, db: a.db })).sync.round();
    expect((project(a) as { memories: unknown[] }).memories).toHaveLength(2);
  }
});

test('a second machine gets key and token by the code; the hub passes neither on in words', async () => {
  const world = await openWorld();
  const heard: string[] = [];
  const fetch: Fetch = async (url, init) => {
    const answer = await fetchHub(world.hub)(url, init);
    heard.push(String(init.body ?? ''), await answer.clone().text());
    return answer;
  };
  const first = await loginWith(fetch, world.admin, 'one');
  heard.length = 0;
  const code = Promise.withResolvers<string>();
  const offering = offerPairing(first, { onCode: code.resolve, fetch, lookMs: 5 });
  const second = await joinByCode({ hub: HUB_URL, device: 'desk in the hall', fetch }, (await code.promise).toUpperCase(), 5);
  expect(await offering).toEqual({ device: 'desk in the hall' });
  expect(second).toMatchObject({ member: first.member, seed: first.seed, personal: first.personal });
  expect(second.token).not.toBe(first.token);
  // The new token is made by the hub itself; the key never passes it.
  expect(heard.some((text) => text.includes(first.seed))).toBe(false);
  expect((await createHubClient({ hub: HUB_URL, token: second.token, fetch }).me()).name).toBe('anna');
});

test('who lost all machines gets the memories back by the phrase alone, and no second key comes into the account', async () => {
  const world = await openWorld();
  const fetch = fetchHub(world.hub);
  const first = await loginWith(fetch, world.admin, 'one');
  const a = await openMachine('one', first, { fetch, now: () => ++world.time.now });
  say(a, 'The only sentence of a lost machine');
  await a.sync.round();
  const again = () => createTeam(world.storage, { team: 'shop', admin: 'anna' }, ++world.time.now);
  const where = { hub: HUB_URL, device: 'new', fetch };
  await expect(loginByInvitation(where, await again())).rejects.toThrow('recovery phrase');
  world.time.now++;
  const right = new Uint8Array(Buffer.from(first.seed, 'base64'));
  const said = [makeSeed(), makeSeed(), readPhrase(writePhrase(right)) ?? makeSeed()];
  const account = await loginByInvitation(where, await again(), async () => said.shift() ?? makeSeed());
  expect([account.seed, said.length]).toEqual([first.seed, 0]);
  const b = await openMachine('new', account, { fetch, now: () => ++world.time.now });
  await b.sync.round();
  expect(project(b)).toEqual(project(a));
  const devices = await createHubClient({ hub: HUB_URL, token: account.token, fetch }).call('GET', 'devices', DevicesAnswer);
  expect(devices.devices.map(({ name, revokedAt }) => [name, revokedAt === null])).toEqual([
    ['one', true],
    ['new', false],
    ['new', true],
  ]);
});

test('a wrong code, a second answer and a hub in the middle get nothing', async () => {
  const world = await openWorld();
  const fetch = fetchHub(world.hub);
  const first = await loginWith(fetch, world.admin, 'one');
  const code = Promise.withResolvers<string>();
  const offering = offerPairing(first, { onCode: code.resolve, fetch, lookMs: 5 });
  const shown = await code.promise;
  expect(joinByCode({ hub: HUB_URL, device: 'x', fetch }, makeCode(), 5)).rejects.toThrow(HubCallError);
  // The hub answers in the place of the other machine, with a key of its own.
  const { createPairing } = await import('../../src/sync/pairing.ts');
  const { id } = await createPairing(shown, 'second');
  const forged = await (await createPairing(makeCode(), 'second')).half();
  await createHubClient({ hub: HUB_URL, token: null, fetch }).answer(id, forged);
  expect(offering).rejects.toThrow('wrong code');
  expect(joinByCode({ hub: HUB_URL, device: 'x', fetch }, shown, 5)).rejects.toThrow();
  await offering.catch(() => undefined);
});

test('the phrase gives the key back, and a slip is noticed', () => {
  const seed = makeSeed();
  const phrase = writePhrase(seed);
  expect(phrase.split(' ')).toHaveLength(9);
  expect(readPhrase(`  ${phrase.toUpperCase().replaceAll(' ', '\n')} `)).toEqual(seed);
  const words = phrase.split(' ');
  expect(readPhrase(words.slice(1).join(' '))).toBeNull();
  expect(readPhrase([words[1], words[0], ...words.slice(2)].join(' '))).toSatisfy((read) => read === null || words[0] === words[1]);
  expect(readCode(makeCode())).toHaveLength(12);
});

test('an address that is not https is refused, but on this machine', () => {
  for (const hub of ['http://hub.example.org', 'ftp://127.0.0.1', 'https://user:pass@hub.example.org', 'hub.example.org'])
    expect(() => createHubClient({ hub, token: null })).toThrow('cannot be used');
  expect(() => createHubClient({ hub: 'http://127.0.0.1:1', token: null })).not.toThrow();
});

test('the log of a machine holds no words', async () => {
  const { machine } = await fill(openSqlite(':memory:'));
  for (const table of ['sync_records', 'sync_state', 'sync_changes']) {
    const text = JSON.stringify(machine.db.query(`SELECT * FROM ${table}`).all());
    for (const word of CANARIES) expect([table, word, text.includes(word)]).toEqual([table, word, false]);
  }
  expect(machine.db).toBeInstanceOf(Database);
});
