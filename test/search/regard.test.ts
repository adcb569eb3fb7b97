// What people say of a memory decides where search puts it: found all the same, with its marks.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { putTurn } from '../../src/turns/turns.ts';
import { replaced } from '../support/memories.ts';
import { createTestMemory, DAY, NOW, type TestMemory } from './test-memory.ts';

let memory: TestMemory;
beforeEach(() => {
  memory = createTestMemory();
});
afterEach(() => memory.close());

const say = (session: string, title: string, ago: number, origin: 'agent' | 'web' = 'agent') =>
  memory.shelf('/home/dev/shop', session).observe(title, NOW - ago * DAY, { type: 'decision', origin });
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
  const shelf = memory.shelf('/home/dev/shop', 'turn');
  const asked = shelf.ask('Where do the zebra uploads go?', NOW - DAY);
  const place = { sessionId: shelf.sessionId, promptNumber: 1 };
  const times = { startedAt: NOW - DAY, endedAt: NOW, branch: null, head: null };
  const closing = 'The zebra uploads go to the zebra bucket, and are resized there.';
  putTurn(memory.db, { ...place, ...times }, { steps: [], closing });
  const wrong = shelf.observe('Zebra uploads go to the zebra bucket', NOW - DAY, { type: 'decision' });
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
