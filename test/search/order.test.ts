// In which order memories and sessions are found: by what people say of them, by what replaced them, by what was said beside them.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readRecap } from '../../src/search/rollup.ts';
import { searchSessions } from '../../src/search/search-sessions.ts';
import { readTimeline } from '../../src/search/timeline.ts';
import { putTurn } from '../../src/turns/turns.ts';
import { replaced } from '../support/memories.ts';
import { createTestMemory, DAY, NOW, type TestMemory } from './test-memory.ts';

let memory: TestMemory;
beforeEach(() => {
  memory = createTestMemory();
});
afterEach(() => memory.close());

const shelf = (session: string) => memory.shelf('/home/dev/shop', session);
const keepTurn = (sessionId: number, promptNumber: number, closing: string) =>
  putTurn(memory.db, { sessionId, promptNumber, startedAt: NOW - DAY, endedAt: NOW, branch: null, head: null }, { steps: [], closing });
const say = (session: string, title: string, ago: number, origin: 'agent' | 'web' = 'agent') =>
  shelf(session).observe(title, NOW - ago * DAY, { type: 'decision', origin });
const set = (id: string, change: string) => memory.db.run(`UPDATE observations SET ${change} WHERE id = ${id}`);
const found = async (query: string) => (await memory.search(query)).results;
const ids = (hits: { id: string }[]) => hits.map(({ id }) => id);

test('what is wrong, quarantined or distrusted comes after all else, with its mark', async () => {
  const best = say('one', 'Zebra uploads go to the zebra bucket', 1);
  const quarantined = say('two', 'Zebra uploads are resized', 2);
  const distrusted = say('three', 'Zebra thumbnails are cached', 3);
  const plain = say('four', 'Some notes on a zebra, among many other things that were said that day', 4);
  expect(ids(await found('zebra uploads'))[0]).toBe(best);
  set(best, "wrong_at = '2026-01-01'");
  set(quarantined, 'quarantined = 1');
  memory.db.run("INSERT INTO distrusted VALUES ('session:three', '2026-01-01')");
  const hits = await found('zebra');
  expect(ids(hits)[0]).toBe(plain);
  expect(ids(hits).sort()).toEqual([best, quarantined, distrusted, plain].sort());
  const marks = Object.fromEntries(hits.map((hit) => [hit.id, hit]));
  expect(marks[best]?.isWrong).toBe(true);
  expect(marks[quarantined]?.isQuarantined).toBe(true);
  expect(marks[distrusted]?.isDistrusted).toBe(true);
  expect(marks[plain]).not.toHaveProperty('isWrong');
});

test('nothing goes behind a newer one that is wrong or from outside, nor when a person said that it holds', async () => {
  const older = 'We decided to store uploads on the local disk of the web server';
  const newer = 'We decided to store uploads in an S3 bucket instead of the local disk of the web server';
  for (const topic of ['fonts', 'mails', 'dates', 'builds', 'images']) say(topic, `A note about ${topic}`, 30);
  const old = say('old', older, 20);
  const now = say('new', newer, 10);
  // By its words alone the older one comes first.
  const first = async () => ids(await found('store uploads on the local disk of the web server'))[0];
  expect(await first()).toBe(now);
  set(old, 'kept = 1');
  expect(await first()).toBe(old);
  set(old, 'kept = 0');
  for (const [change, back] of [
    ["wrong_at = '2026-01-01'", 'wrong_at = NULL'],
    ['trust = 1', 'trust = 2'],
  ] as const) {
    set(now, change);
    expect(await first()).toBe(old);
    set(now, back);
  }
  expect(await first()).toBe(now);
});

test('what is wrong does not speak for its turn, whose record is found all the same', async () => {
  const { sessionId, ask, observe } = shelf('turn');
  const asked = ask('Where do the zebra uploads go?', NOW - DAY);
  keepTurn(sessionId, 1, 'The zebra uploads go to the zebra bucket, and are resized there.');
  const wrong = observe('Zebra uploads go to the zebra bucket', NOW - DAY, { type: 'decision' });
  expect(ids(await found('zebra uploads bucket'))).toEqual([wrong]);
  set(wrong, "wrong_at = '2026-01-01'");
  expect(await found('zebra uploads bucket')).toMatchObject([
    { id: asked, sameTurn: [] },
    { id: wrong, isWrong: true },
  ]);
});

test('a chain that was stored is shown by its end', async () => {
  const [a, b, c] = [say('a', 'Zebra one', 3), say('b', 'Giraffe two', 2), say('c', 'Okapi three', 1)];
  replaced(memory.db, a, b);
  replaced(memory.db, b, c);
  expect((await found('zebra'))[0]).toMatchObject({ id: a, replacedBy: { id: c } });
});

const marksOf = async (query: string) =>
  (await memory.search(query)).results.map(({ id, replacedBy }) => [id, replacedBy?.id ?? null, replacedBy?.isCertain]);

test('the newer comes first, whatever matches better, and the older says by what it is replaced', async () => {
  const old = shelf('a').observe('Zebra zebra logs are kept for thirty days', NOW - 9 * DAY, { type: 'decision' });
  const now = shelf('b').observe('Okapi: seven days of zebra logs', NOW - DAY, { type: 'discovery' });
  expect((await marksOf('zebra logs kept thirty days'))[0]).toEqual([old, null, undefined]);
  replaced(memory.db, old, now, { isCertain: false });
  expect(await marksOf('zebra logs kept thirty days')).toEqual([
    [now, null, undefined],
    [old, now, false],
  ]);
  replaced(memory.db, old, now, { isCertain: true });
  expect((await marksOf('zebra logs kept thirty days'))[1]).toEqual([old, now, true]);
  // What only the older says still finds it.
  expect(await marksOf('thirty')).toEqual([[old, now, true]]);
});

test('a turn that is replaced is marked, too', async () => {
  const asked = shelf('a').ask('Giraffes are painted green', NOW - 2 * DAY);
  const now = shelf('b').ask('No, giraffes are painted yellow', NOW - DAY);
  replaced(memory.db, asked, now, { why: 'refused' });
  expect(await marksOf('giraffes painted')).toEqual([
    [now, null, undefined],
    [asked, now, true],
  ]);
});

test('a record that still says what a memory of its turn no longer does stands behind what replaced that, too', async () => {
  const { sessionId, ask, observe } = shelf('a');
  const asked = ask('Where do the zebra uploads go, and who resizes the zebra uploads?', NOW - 2 * DAY);
  keepTurn(sessionId, 1, 'The zebra uploads go to the zebra bucket, and are resized there.');
  const then = observe('Okapi logs are kept for thirty days', NOW - 2 * DAY, { type: 'decision' });
  const now = shelf('b').observe('Zebra logs are kept for seven days', NOW - DAY, { type: 'decision' });
  expect((await marksOf('who resizes zebra uploads'))[0]).toEqual([asked, null, undefined]);
  replaced(memory.db, then, now, { isCertain: true });
  expect((await marksOf('who resizes zebra uploads')).slice(0, 2)).toEqual([
    [now, null, undefined],
    [asked, now, false],
  ]);
});

test('timeline and recap show the mark; in a recap the newer stands first', async () => {
  const old = shelf('a').observe('Zebra logs are kept for thirty days', NOW - 2 * DAY, { type: 'decision' });
  const now = shelf('b').observe('Okapi sizes decide what is dropped', NOW - DAY, { type: 'decision' });
  replaced(memory.db, old, now, { isCertain: false });
  const timeline = await readTimeline(
    memory.db,
    { anchor: old, depthBefore: 2, depthAfter: 2, projectIds: null, isNamed: false },
    async () => null,
  );
  expect(timeline.items.map(({ id, replacedBy }) => [id, replacedBy?.id])).toEqual([
    [old, now],
    [now, undefined],
  ]);
  const range = { projectIds: null, since: 0, until: NOW, now: NOW };
  const decided = () => readRecap(memory.db, range).projects[0]?.decided.map(({ id }) => id);
  expect(decided()).toEqual([now, old]);
  replaced(memory.db, old, now);
  expect(decided()).toEqual([now]);
});

test.each([
  ['counts for words without a record', false],
  ['does not count for a turn that has one', true],
])('what was said before and after %s', async (_, hasRecord) => {
  const { ask, sessionId } = memory.shop;
  const asked = ['The walrus pond leaks', 'Look into the walrus pump', 'Close the walrus valve'].map((text, at) => ask(text, NOW + at));
  if (hasRecord) for (const promptNumber of [1, 2, 3]) keepTurn(sessionId, promptNumber, 'The walrus is dry.');
  const { results } = await memory.search('walrus pump', { why: true });
  const pump = results.find(({ id, sameTurn }) => [id, ...sameTurn].includes(asked[1] ?? ''));
  expect((pump?.why?.neighbours ?? 0) > 0).toBe(!hasRecord);
});

const findSessions = (query: string) => searchSessions(memory.finder, { query, filters: { projectIds: null }, limit: 5 });

test('a turn of a session counts once, however many memories were made of it', async () => {
  const chatty = shelf('chatty');
  for (const what of ['nest', 'eggs', 'food', 'flight']) chatty.observe(`The ${what} of the heron`, NOW - DAY);
  const two = shelf('two-turns');
  two.ask('Where does the heron sleep', NOW - DAY);
  two.ask('How does the heron fish', NOW - DAY);
  const found = await findSessions('heron');
  expect(found.map(({ sessionId }) => sessionId)).toEqual([two.sessionId, chatty.sessionId]);
  expect(found[1]?.best).toHaveLength(4);
});

test('a turn of a session counts by its record, not by the short texts that were drawn from it', async () => {
  const long = 'Rollers, ladders and buckets are back in the shed. '.repeat(8);
  const keep = (session: string, asked: string, closing: string) => {
    const { sessionId, ask, observe } = shelf(session);
    ask(asked, NOW - DAY);
    keepTurn(sessionId, 1, closing);
    return { sessionId, observe };
  };
  const told = keep('told', 'Why does the otter leave the dam', `The otter leaves, the dam is dry. ${long}`);
  const aside = keep('aside', 'Paint the harbour wall', `The wall is painted. ${long} An otter sat on the dam.`);
  aside.observe('Otter on the dam', NOW - DAY);
  expect((await findSessions('otter dam')).map(({ sessionId }) => sessionId)).toEqual([told.sessionId, aside.sessionId]);
});
