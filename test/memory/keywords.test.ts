// English keywords of a memory go the way of its other words: found, rewritten and forgotten with it.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { findMatching } from '../../src/forget/scope.ts';
import { correct } from '../../src/memory/edit.ts';
import { openShelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let id: number;
beforeEach(() => {
  store = createTestStore();
  const shelf = openShelf(store.db, '/home/dev/shop', 's');
  id = Number(shelf.observe('Kartenkacheln bleiben sieben Tage', 1, { keywords: 'map tiles, offline' }));
});
afterEach(() => store.close());

const isFoundBy = (word: string) => store.db.query('SELECT 1 FROM words WHERE words MATCH ?').get(word) !== null;
const stored = () => store.db.query<{ keywords: string | null }, []>('SELECT keywords FROM observations').get()?.keywords;

test('a memory is found by them, also by whoever wants all that says something gone', async () => {
  expect(isFoundBy('offline')).toBe(true);
  expect(await findMatching(store.db, 'Map  tiles', () => Promise.resolve())).toEqual([{ kind: 'observation', id }]);
});

test('new words of a person take them away; another type does not', () => {
  correct(store.db, { kind: 'observation', id }, { type: 'decision', by: 'user' }, 2);
  expect(stored()).toBe('map tiles, offline');
  correct(store.db, { kind: 'observation', id }, { title: 'Kacheln bleiben acht Tage', by: 'user' }, 3);
  expect(stored()).toBeNull();
  expect(isFoundBy('offline')).toBe(false);
});

test('they go with the memory', () => {
  store.db.query('DELETE FROM observations WHERE id = ?').run(id);
  expect(isFoundBy('offline')).toBe(false);
});
