// What goes wrong around sync: a lost machine, a hub restored from a backup, a clock that was wrong, a hub that never comes to an end.
import { expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createHub } from '../../src/hub/hub.ts';
import { openSqlite } from '../../src/hub/sqlite.ts';
import { correct } from '../../src/memory/edit.ts';
import { writeContent } from '../../src/memory/observations.ts';
import { createHubClient, type Fetch } from '../../src/sync/client.ts';
import { makeRecord } from '../hub/contract.ts';
import {
  addMachine,
  countPendingOf,
  fetchHub,
  forget,
  HUB_URL,
  loginWith,
  type Machine,
  openMachine,
  openWorld,
  project,
  QUIET_LOG,
  say,
} from './machines.ts';
import { listTitles, openTeam, PROJECT, publish } from './team.ts';

const titlesOf = (machine: Machine) => listTitles(machine).map(({ title }) => title);
const idOf = ({ db }: Machine, title: string) =>
  (db.query<{ id: number }, [string]>('SELECT id FROM observations WHERE title = ?').get(title) ?? { id: 0 }).id;
const rounds = async (...machines: Machine[]) => {
  for (const machine of [...machines, ...machines]) await machine.sync.round();
};

/** Anna publishes on her laptop; her desk is a clone without a word of that. */
async function openDesk() {
  const team = await openTeam();
  const desk = await openMachine('desk', await addMachine(team.fetch, team.a.account, 'desk'), { fetch: team.fetch, now: team.a.now });
  return { ...team, laptop: team.a, desk };
}

test('what one machine gave to a team is forgotten there from another, also when the first is lost', async () => {
  const { laptop, desk, b, as, space } = await openDesk();
  say(laptop, 'Amounts are integer cents, never floats', PROJECT);
  say(laptop, 'The queue is a table in the same database', PROJECT);
  await rounds(laptop, desk, b);
  expect([titlesOf(b).length, await countPendingOf(desk)]).toEqual([2, 0]);
  // The laptop is never seen again.
  forget(desk, idOf(desk, 'Amounts are integer cents, never floats'));
  await rounds(desk, b);
  expect(titlesOf(b)).toEqual(['The queue is a table in the same database']);
  expect((await as(desk).pull(space, 0)).records.some(({ payload }) => payload?.includes('integer cents'))).toBe(false);
});

test('a machine that forgets before it hears that another published it takes it from the team, too', async () => {
  const { laptop, desk, b } = await openDesk();
  publish(laptop, (await laptop.sync.round()).spaces[0]?.id ?? '', []);
  say(laptop, 'Amounts are integer cents, never floats', PROJECT);
  await rounds(laptop, desk);
  forget(desk, idOf(desk, 'Amounts are integer cents, never floats'));
  publish(laptop, (await laptop.sync.round()).spaces[0]?.id ?? '');
  await laptop.sync.round();
  await b.sync.round();
  expect(titlesOf(b)).toEqual(['Amounts are integer cents, never floats']);
  await rounds(desk, b);
  expect(titlesOf(b)).toEqual([]);
});

test('the other machines of the author publish and take back as well, each thing once', async () => {
  const { laptop, desk, b, as, space } = await openDesk();
  say(laptop, 'Amounts are integer cents, never floats', PROJECT);
  await rounds(laptop, desk);
  const { head } = await as(desk).pull(space, 0);
  await rounds(desk, laptop, desk);
  expect((await as(desk).pull(space, 0)).head).toBe(head);
  say(desk, 'The queue is a table in the same database', PROJECT);
  await rounds(desk, b);
  expect(titlesOf(b)).toHaveLength(2);
  publish(desk, space, []);
  await rounds(desk, b);
  expect(titlesOf(b)).toEqual([]);
  await rounds(laptop, desk, b);
  expect([titlesOf(laptop).length, titlesOf(desk).length, titlesOf(b).length]).toEqual([2, 2, 0]);
});

test('a project that is kept on its machine goes to no team either', async () => {
  const { a, b, fetch, space } = await openTeam();
  const kept = await openMachine('kept', a.account, { fetch, now: a.now, db: a.db, policy: () => ({ isSent: false, withTurns: false }) });
  publish(kept, space);
  say(kept, 'Amounts are integer cents, never floats', PROJECT);
  await rounds(kept, b);
  expect([titlesOf(kept).length, titlesOf(b).length]).toEqual([1, 0]);
});

test('a folder of a long name arrives with its memories; one memory that is too large for any hub keeps back none of the others', async () => {
  const { laptop, desk } = await openDesk();
  const long = { key: `example.org/${'x'.repeat(300)}`, name: 'n'.repeat(255), root: '', remote: null };
  say(laptop, 'A sentence of a folder that somebody gave a long name', long);
  const large = say(laptop, 'A sentence that an older version stored with far too much behind it', PROJECT);
  const words = { type: 'decision' as const, title: 'Far too much', subtitle: null, narrative: 'x'.repeat(500_000), outcome: null };
  writeContent(laptop.db, large, { ...words, facts: '[]', concepts: '[]', filesRead: '[]', filesModified: '[]' });
  say(laptop, 'A sentence that comes after it', PROJECT);
  await rounds(laptop, desk);
  expect(titlesOf(desk)).toEqual(['A sentence of a folder that somebody gave a long name', 'A sentence that comes after it']);
  expect(await countPendingOf(laptop)).toBe(0);
  // By the user's own machines, and by the team.
  expect(laptop.db.query("SELECT value FROM counters WHERE name = 'sync:refused'").get()).toEqual({ value: 2 });
});

const OTHER = { ...PROJECT, key: 'example.org/other', name: 'other' };

test('two repositories of one name, both published: two projects, nothing is dropped', async () => {
  const { a, b, as } = await openTeam();
  const wires = ['c', 'd'].map((letter) => ({ key: OTHER.key, name: OTHER.name, firstCommit: letter.repeat(40) }));
  for (const wire of wires) {
    const { id } = await as(b).call('POST', 'spaces', z.object({ id: z.string() }), { project: wire });
    const words = {
      type: 'decision',
      title: `Of the one that began with ${wire.firstCommit[0]}`,
      origin: 'user',
      trust: 3,
      at: '2026-11-01T00:00:00.000Z',
    };
    const body = { entity: `entity-${wire.firstCommit[0]}`, kind: 'observation', clocks: {}, fields: { words } };
    await as(b).push(id, [makeRecord(`entity-${wire.firstCommit[0]}`, JSON.stringify(body))]);
  }
  await rounds(a);
  const keyOf = (letter: string) => listTitles(a).find(({ title }) => title === `Of the one that began with ${letter}`)?.project ?? '';
  expect([keyOf('c'), keyOf('d')].every((key) => key.startsWith('sync:example.org/other'))).toBe(true);
  expect(keyOf('c')).not.toBe(keyOf('d'));
  // Each joins the clone that began as it did, and only that one.
  say(a, 'A first note in the clone', OTHER);
  a.db.run('UPDATE projects SET first_commit = ? WHERE key = ?', ['d'.repeat(40), OTHER.key]);
  await rounds(a);
  expect([keyOf('c').startsWith('sync:'), keyOf('d')]).toEqual([true, OTHER.key]);
});

test('a hub that is restored from a backup gets everything again, keeps nothing that was forgotten, and nobody misses anything', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'claude-mem-restore-'));
  const path = join(folder, 'hub.db');
  const world = await openWorld(openSqlite(path));
  let hub = world.hub;
  const fetch: Fetch = (url, init) => fetchHub(hub)(url, init);
  const now = () => ++world.time.now;
  const first = await loginWith(fetch, world.admin, 'one');
  const open = async (name: string) => openMachine(name, await addMachine(fetch, first, name), { fetch, now });
  const [a, b, c] = [await open('a'), await open('b'), await open('c')];
  say(a, 'A sentence from before the backup');
  say(a, 'A sentence that is forgotten after the backup');
  await rounds(a, b, c);
  cpSync(path, join(folder, 'copy.db'));
  cpSync(`${path}-wal`, join(folder, 'copy.db-wal'));
  forget(a, idOf(a, 'A sentence that is forgotten after the backup'));
  for (let n = 0; n < 10; n++) say(b, `Sentence ${n} that only the lost part had`);
  await rounds(a, b);
  await world.storage.close();
  const restored = openSqlite(join(folder, 'copy.db'));
  hub = createHub({ storage: restored, clock: () => world.time.now, log: QUIET_LOG, lookMs: 20 });
  // The one that was away comes first: it has seen nothing that is missing.
  say(c, 'A sentence of the one that was away');
  await c.sync.round();
  expect(idOf(c, 'A sentence that is forgotten after the backup')).not.toBe(0);
  await rounds(a, b, c, a, b, c);
  expect((project(a) as { memories: unknown[] }).memories).toHaveLength(12);
  expect(project(b)).toEqual(project(a));
  expect(project(c)).toEqual(project(a));
  const { records } = await createHubClient({ hub: HUB_URL, token: a.account.token, fetch }).pull(a.account.personal, 0);
  expect(records.some(({ state }) => state === 'forgotten')).toBe(true);
  expect(await Promise.all([a, b, c].map(countPendingOf))).toEqual([0, 0, 0]);
  await restored.close();
  rmSync(folder, { recursive: true });
});

test('a clock that was years ahead and was set right stops nothing for good, and what was said last still counts', async () => {
  const world = await openWorld();
  const fetch = fetchHub(world.hub);
  const first = await loginWith(fetch, world.admin, 'one');
  let skew = 4 * 365 * 86_400_000;
  const a = await openMachine('a', first, { fetch, now: () => ++world.time.now + skew });
  const b = await openMachine('b', await addMachine(fetch, first, 'b'), { fetch, now: () => ++world.time.now });
  const id = say(a, 'A sentence from the future');
  expect(await a.sync.round().catch((error: Error) => error.message)).toMatch(/more than a day ahead/);
  correct(a.db, { kind: 'observation', id }, { title: 'Said on the day after', by: 'user' }, a.now());
  await a.sync.stamp();
  skew = 0;
  await rounds(a, b);
  const idB = idOf(b, 'Said on the day after');
  expect(idB).not.toBe(0);
  correct(b.db, { kind: 'observation', id: idB }, { title: 'Said last of all', by: 'user' }, b.now());
  await rounds(b, a);
  expect(idOf(a, 'Said last of all')).toBe(id);
});

test('a space in which nothing may be sent keeps neither the others nor a deletion', async () => {
  const { a, b, as, both, space, fetch } = await openTeam();
  publish(b, space);
  await both();
  const desk = await openMachine('desk', await addMachine(fetch, b.account, 'desk'), { fetch: fetch, now: b.now });
  const doomed = say(b, 'Ben likes tabs and tells nobody', { ...PROJECT, key: 'example.org/own', name: 'own' });
  await rounds(b, desk);
  await as(a).call('PATCH', 'members/ben', null, { role: 'reader' });
  say(desk, 'Ben decided that the queue is a table', PROJECT);
  forget(b, doomed);
  await b.sync.round();
  expect(await desk.sync.round().catch((error: Error) => error.message)).toMatch(/^shop: A reader may not/);
  expect(idOf(desk, 'Ben likes tabs and tells nobody')).toBe(0);
});

test('a hub that promises more without end, takes nothing or changes its mind is given up', async () => {
  const world = await openWorld();
  const honest = fetchHub(world.hub);
  const first = await loginWith(honest, world.admin, 'one');
  const ways: Record<string, (said: Record<string, unknown>, asked: number) => object> = {
    'more and more': (said) => ('hasMore' in said ? { ...said, hasMore: true } : said),
    'no results': (said) => ('results' in said ? { results: [] } : said),
    'another generation each time': (said, asked) => ('generation' in said ? { ...said, generation: asked } : said),
  };
  for (const [name, change] of Object.entries(ways)) {
    let asked = 0;
    const lying: Fetch = async (url, init) => {
      const answer = await honest(url, init);
      if (++asked > 40) throw new Error('asked without end');
      return Response.json(change((await answer.json()) as Record<string, unknown>, asked));
    };
    const a = await openMachine('one', await addMachine(honest, first, `m${asked}`), { fetch: lying, now: () => ++world.time.now });
    say(a, `A sentence for a hub that lies: ${name}`);
    await a.sync.round().catch(() => undefined);
    await a.sync.round().catch(() => undefined);
    expect([name, asked < 40]).toEqual([name, true]);
    expect(idOf(a, `A sentence for a hub that lies: ${name}`)).not.toBe(0);
  }
});
