// What people say of a memory decides where search puts it: found all the same, with its marks.
import { afterEach, beforeEach, expect, test } from 'bun:test';
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

test('nothing is shown as superseded by what is wrong or from outside, nor when a person said that it holds', async () => {
  const older = 'We decided to store uploads on the local disk of the web server';
  const newer = 'We decided to store uploads in an S3 bucket instead of the local disk of the web server';
  for (const topic of ['fonts', 'mails', 'dates', 'builds', 'images']) say(topic, `A note about ${topic}`, 30);
  const old = say('old', older, 20);
  const now = say('new', newer, 10);
  const mark = async () => (await found('store uploads')).find(({ id }) => id === old)?.supersededBy;
  expect(await mark()).toBe(now);
  set(old, 'kept = 1');
  expect(await mark()).toBeNull();
  set(old, 'kept = 0');
  for (const [change, back] of [
    ["wrong_at = '2026-01-01'", 'wrong_at = NULL'],
    ['trust = 1', 'trust = 2'],
  ] as const) {
    set(now, change);
    expect(await mark()).toBeNull();
    set(now, back);
  }
  expect(await mark()).toBe(now);
});

test('a chain that was stored is shown by its end', async () => {
  const [a, b, c] = [say('a', 'Zebra one', 3), say('b', 'Giraffe two', 2), say('c', 'Okapi three', 1)];
  set(a, `superseded_by = ${b}`);
  set(b, `superseded_by = ${c}`);
  expect((await found('zebra'))[0]).toMatchObject({ id: a, supersededBy: c });
});
