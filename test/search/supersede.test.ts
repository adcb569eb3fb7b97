import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hideMemory } from '../../src/store/forgetting/hide.ts';
import { addDocument } from '../../src/store/index/documents.ts';
import { createComparing } from '../../src/worker/index/supersede.ts';
import { openShelf, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';
import { BOTH_HOLD, type Pair, SUPERSEDED } from './supersession-pairs.ts';

let store: TestStore;
let first: Shelf;
let second: Shelf;
beforeEach(() => {
  store = createTestStore();
  first = openShelf(store.db, '/home/dev/shop', 'one');
  second = openShelf(store.db, '/home/dev/shop', 'two');
});
afterEach(() => store.close());

const compareAll = () => {
  const { step } = createComparing(store.db);
  while (step(() => true));
};
const newerOf = (id: string) =>
  store.db.query<{ by: number | null }, [string]>('SELECT superseded_by AS by FROM observations WHERE id = ?').get(id)
    ?.by;
const say = (shelf: Shelf, words: Pair[1], at: number) => {
  const { title, ...more } = words;
  return shelf.observe(title, at, more);
};
/** What else is remembered gives words their weight. */
const talk = () => {
  for (let at = 0; at < 30; at++)
    first.observe(`Note ${at} about the ${WORDS[at % 10]} of the ${WORDS[(at * 3) % 10]}`, at + 1);
};
const WORDS = 'cache client page queue user session parser report build test'.split(' ');

test('there are enough pairs on both sides', () => {
  expect(SUPERSEDED.length).toBeGreaterThanOrEqual(20);
  expect(BOTH_HOLD.length).toBeGreaterThanOrEqual(20);
});

describe.each([false, true])('in a memory that holds other things: %p', (isBusy) => {
  test.each(SUPERSEDED)('the newer stands in the place of the older: %s', (name, older, newer) => {
    if (isBusy) talk();
    const old = say(first, older, 100);
    const now = say(name.startsWith('within a session') ? first : second, newer, 200);
    compareAll();
    expect(newerOf(old)).toBe(Number(now));
    expect(newerOf(now)).toBeNull();
  });

  test.each(BOTH_HOLD)('both hold: %s', (name, older, newer) => {
    if (isBusy) talk();
    const old = say(first, older, 100);
    const now = say(name.startsWith('one session') ? first : second, newer, 200);
    compareAll();
    expect([newerOf(old), newerOf(now)]).toEqual([null, null]);
  });
});

describe('what is compared', () => {
  const was = { type: 'decision' } as const;

  test('is what happened later, whatever was stored first', () => {
    const now = second.observe('The default page size is 100', 200, was);
    const old = first.observe('The default page size is 50', 100, was);
    compareAll();
    expect([newerOf(old), newerOf(now)]).toEqual([Number(now), null]);
  });

  test('is never what a person pinned or kept, nor what is hidden or of another project', () => {
    const ids = [1, 2, 3].map((at) => first.observe(`The default page size is ${at}0`, at, was));
    const other = openShelf(store.db, '/home/dev/other', 'three').observe('The default page size is 40', 4, was);
    store.db.run(`UPDATE observations SET pinned = 1 WHERE id = ${ids[0]}`);
    store.db.run(`UPDATE observations SET kept = 1 WHERE id = ${ids[1]}`);
    hideMemory(store.db, { kind: 'observation', id: Number(ids[2]) }, 9);
    second.observe('The default page size is 100', 200, was);
    compareAll();
    expect([...ids, other].map(newerOf)).toEqual([null, null, null, null]);
  });

  test('comes in chains that end at the newest', () => {
    const shelves = ['a', 'b', 'c'].map((name) => openShelf(store.db, '/home/dev/shop', name));
    const ids = shelves.map((shelf, at) => shelf.observe(`The default page size is ${at + 1}0`, at + 1, was));
    compareAll();
    expect(ids.map(newerOf)).toEqual([expect.any(Number), Number(ids[2]), null]);
  });

  test('is looked at once: a person who takes a mark back keeps that, also in the next worker', () => {
    const old = first.observe('The default page size is 50', 100, was);
    second.observe('The default page size is 100', 200, was);
    compareAll();
    store.db.run('UPDATE observations SET superseded_by = NULL');
    compareAll();
    expect(newerOf(old)).toBeNull();
  });

  test('goes on where a worker was killed', () => {
    const old = first.observe('The default page size is 50', 100, was);
    const { step } = createComparing(store.db);
    expect(step(() => false)).toBe(true);
    const now = second.observe('The default page size is 100', 200, was);
    compareAll();
    expect(newerOf(old)).toBe(Number(now));
  });

  test('is what a model said in the place of the rules, too', () => {
    const old = first.observe('The default page size is 50', 100, was);
    const provisional = second.observe('The default page size is 100', 200, was);
    compareAll();
    store.db.run(`DELETE FROM observations WHERE id = ${provisional}`);
    expect(newerOf(old)).toBeNull();
    const final = second.observe('The default page size is 100', 200, was);
    compareAll();
    expect(newerOf(old)).toBe(Number(final));
  });

  test('are the newest few thousand of an old memory', () => {
    const old = first.observe('The default page size is 50', 1, was);
    const now = second.observe('The default page size is 100', 2, was);
    // As far away as if thousands had come since.
    store.db.run('PRAGMA foreign_keys = OFF');
    store.db.run('UPDATE observations SET id = 900000 WHERE id = ?', [Number(second.observe('Something else', 3))]);
    addDocument(store.db, { kind: 'observation', id: 900000 });
    compareAll();
    expect([newerOf(old), newerOf(now)]).toEqual([null, null]);
    expect(store.db.query("SELECT last FROM id_marks WHERE name = 'compared'").get()).toEqual({ last: 900000 });
  });
});
