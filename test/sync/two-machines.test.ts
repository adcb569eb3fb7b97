// Two machines of one person: what is said, pinned, corrected and forgotten on one is so on the other, and the hub cannot read it.
import { expect, test } from 'bun:test';
import { correct, replaceMemory } from '../../src/memory/edit.ts';
import { addMachine, countPendingOf, fetchHub, forget, loginWith, type Machine, openMachine, openWorld, project, say } from './machines.ts';

async function openTwo() {
  const world = await openWorld();
  const fetch = fetchHub(world.hub);
  const now = () => ++world.time.now;
  const first = await loginWith(fetch, world.admin, 'laptop');
  const a = await openMachine('laptop', first, { fetch, now });
  const b = await openMachine('desk', await addMachine(fetch, first, 'desk'), { fetch, now });
  const both = async () => {
    for (const machine of [a, b, a, b]) await machine.sync.round();
  };
  return { ...world, a, b, both, fetch, now };
}

const idOf = ({ db }: Machine, title: string) =>
  (db.query<{ id: number }, [string]>('SELECT id FROM observations WHERE title = ?').get(title) ?? { id: 0 }).id;

test('a memory, a pin, an edit and a replacement arrive', async () => {
  const { a, b, both } = await openTwo();
  say(a, 'The retry budget is seven attempts');
  say(a, 'The retry budget is nine attempts');
  await both();
  expect(project(b)).toEqual(project(a));
  const [older, newer] = [idOf(b, 'The retry budget is seven attempts'), idOf(b, 'The retry budget is nine attempts')];
  correct(b.db, { kind: 'observation', id: newer }, { pinned: true, by: 'user' }, b.now());
  replaceMemory(b.db, { older: String(older), newer: String(newer), by: 'user' }, b.now());
  correct(
    a.db,
    { kind: 'observation', id: idOf(a, 'The retry budget is nine attempts') },
    { title: 'Nine attempts at most', by: 'user' },
    a.now(),
  );
  await both();
  expect(project(b)).toEqual(project(a));
  const { memories, links } = project(a) as { memories: { title: string; pinned: number }[]; links: unknown[] };
  expect(memories.find(({ title }) => title === 'Nine attempts at most')?.pinned).toBe(1);
  expect(links).toHaveLength(1);
  expect([await countPendingOf(a), await countPendingOf(b)]).toEqual([0, 0]);
});

test('what is forgotten on one machine is deleted on the other and at the hub, and does not come back', async () => {
  const { a, b, both, storage } = await openTwo();
  say(a, 'The canary sentence about zanzibar pelicans');
  await both();
  forget(b, idOf(b, 'The canary sentence about zanzibar pelicans'));
  await both();
  expect((project(a) as { memories: unknown[] }).memories).toEqual([]);
  const live = await storage.inTenant(a.account.token.split('-')[0] ?? '', (tx) =>
    tx.all("SELECT state, length(payload) AS bytes FROM records WHERE tenant = $1 AND state <> 'live'", [
      a.account.token.split('-')[0] ?? '',
    ]),
  );
  expect(live.some(({ state }) => state === 'forgotten')).toBe(true);
  say(a, 'The canary sentence about zanzibar pelicans');
  await both();
  expect(project(b)).toEqual(project(a));
  expect((project(b) as { memories: unknown[] }).memories).toHaveLength(1);
});

test('what was edited and forgotten before anybody heard of the edit is forgotten, not only taken back', async () => {
  const { a, b, both } = await openTwo();
  const id = say(a, 'The canary sentence about zanzibar pelicans');
  await both();
  correct(a.db, { kind: 'observation', id }, { title: 'Another canary sentence, about marmots', by: 'user' }, a.now());
  forget(a, id);
  await both();
  const states = ({ db }: typeof a) => db.query("SELECT state FROM sync_records WHERE kind = 'observation'").all();
  expect([states(a), states(b)]).toEqual([[{ state: 'forgotten' }], [{ state: 'forgotten' }]]);
});

test.each(['before', 'after'])(
  'a link that takes the number of one that has gone is another link, %s the others have heard of that',
  async (when) => {
    const { a, b, both } = await openTwo();
    const ids = ['herons', 'lanterns', 'gravel', 'violins'].map((what) => say(a, `A sentence about ${what} and nothing else`));
    const [herons = 0, lanterns = 0, gravel = 0, violins = 0] = ids;
    const replace = (older: number, newer: number) =>
      replaceMemory(a.db, { older: String(older), newer: String(newer), by: 'user' }, a.now());
    replace(herons, lanterns);
    await both();
    expect((project(b) as { links: unknown[] }).links).toHaveLength(1);
    forget(a, lanterns);
    if (when === 'after') await both();
    replace(gravel, violins);
    expect(a.db.query('SELECT id FROM replacements').all()).toEqual([{ id: 1 }]);
    await both();
    expect((project(b) as { links: unknown[] }).links).toHaveLength(1);
    // A third one has a number of its own here, and none there yet.
    replace(herons, violins);
    await both();
    expect(project(b)).toEqual(project(a));
    expect((project(b) as { links: unknown[] }).links).toHaveLength(2);
  },
);

test('what is edited elsewhere into words that were forgotten here is forgotten as a whole, on both', async () => {
  const { a, b, both } = await openTwo();
  const pelicans = say(a, 'The canary sentence about zanzibar pelicans');
  say(b, 'The heron sentence that is edited later');
  say(b, 'Something that was said meanwhile');
  await both();
  forget(a, pelicans);
  await a.sync.round();
  // The other machine has not heard yet.
  const id = idOf(b, 'The heron sentence that is edited later');
  correct(b.db, { kind: 'observation', id }, { title: 'The canary sentence about zanzibar pelicans', by: 'user' }, b.now());
  await both();
  const titles = ({ db }: Machine) => db.query('SELECT title FROM observations').all();
  const left = [{ title: 'Something that was said meanwhile' }];
  expect([titles(a), titles(b)]).toEqual([left, left]);
});
