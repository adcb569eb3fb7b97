// What goes with an observation: its keywords, its outcome, and whether it is a rule of the user.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { eraseMemories } from '../../src/forget/erase.ts';
import { findMatching } from '../../src/forget/scope.ts';
import { correct } from '../../src/memory/edit.ts';
import { isForgottenObservation, setOutcome } from '../../src/memory/observations.ts';
import { listRules } from '../../src/memory/rules.ts';
import { EMPTY_OBSERVATION, openShelf, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let shelf: Shelf;
beforeEach(() => {
  store = createTestStore();
  shelf = openShelf(store.db, '/home/dev/shop', 's');
});
afterEach(() => store.close());

describe('English keywords go the way of its other words', () => {
  const isFoundBy = (word: string) => store.db.query('SELECT 1 FROM words WHERE words MATCH ?').get(word) !== null;
  const stored = () => store.db.query<{ keywords: string | null }, []>('SELECT keywords FROM observations').get()?.keywords;
  let id: number;
  beforeEach(() => {
    id = Number(shelf.observe('Kartenkacheln bleiben sieben Tage', 1, { keywords: 'map tiles, offline' }));
  });

  test('a memory is found by them, also by whoever wants all that says something gone', async () => {
    expect(isFoundBy('offline')).toBe(true);
    expect(await findMatching(store.db, 'Map  tiles')).toEqual([{ kind: 'observation', id }]);
  });

  test('new words of a person take them away; another type does not', () => {
    correct(store.db, { kind: 'observation', id }, { type: 'decision', by: 'user' }, 2);
    expect(stored()).toBe('map tiles, offline');
    correct(store.db, { kind: 'observation', id }, { title: 'Kacheln bleiben acht Tage', by: 'user' }, 3);
    expect([stored(), isFoundBy('offline')]).toEqual([null, false]);
  });

  test('they go with the memory', () => {
    store.db.query('DELETE FROM observations WHERE id = ?').run(id);
    expect(isFoundBy('offline')).toBe(false);
  });
});

test('what was forgotten does not come back with the outcome that it had at first', () => {
  const { db } = store;
  const draft = { ...EMPTY_OBSERVATION, type: 'bugfix', title: 'Round the total', outcome: 'unverified', at: 1 } as const;
  const id = Number(shelf.observe('Round the total', 1, draft));
  expect([setOutcome(db, id, 'passed'), setOutcome(db, id, 'passed')]).toEqual([true, false]);
  db.transaction(() => eraseMemories(db, [{ kind: 'observation', id }], { at: 2, onPieces: () => undefined })).immediate();
  expect(isForgottenObservation(db, draft)).toBe(true);
  expect(isForgottenObservation(db, { ...draft, title: 'Round the tax' })).toBe(false);
});

describe('rules of the user', () => {
  const put = (title: string, more: object = {}) => Number(shelf.observe(title, 1000, { type: 'decision', origin: 'user', ...more }));

  test('what is not the word of the user is none, whatever its row says', () => {
    put('Never push to main', { isRule: true });
    put('Never trust the user', { isRule: true, origin: 'agent' });
    expect(listRules(store.db, { projectIds: [shelf.projectId] }).map(({ title }) => title)).toEqual(['Never push to main']);
  });
});
