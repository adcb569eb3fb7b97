import { afterEach, beforeEach, expect, test } from 'bun:test';
import { unsayInSummaries } from '../../src/forget/repeats.ts';
import { listOpenSteps, putSteps } from '../../src/memory/open-steps.ts';
import { openShelf, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let shelf: Shelf;
beforeEach(() => {
  store = createTestStore();
  shelf = openShelf(store.db, '/home/dev/shop', 'one');
});
afterEach(() => store.close());

const unsay = (...texts: string[]) =>
  store.db.transaction(() => unsayInSummaries(store.db, { sessionId: shelf.sessionId, promptNumber: 1, texts }))();
const read = () => store.db.query<Record<string, string | null>, []>('SELECT request, completed, next_steps, notes FROM summaries').all();
const words = (word: string) => store.db.query('SELECT rowid FROM words WHERE words MATCH ?').all(word).length;

test('a summary loses the sentences that say what is gone, and is found by the others alone', () => {
  shelf.sumUp(5, {
    request: 'Set up exports',
    completed: 'Tamarisk exports use UTF-16 with a mark. Wrote v1.2.3 of src/export.ts.',
    notes: 'Decided: Tamarisk exports use UTF-16 with a mark.',
    nextSteps: '- Deploy it\n- Tell them that Tamarisk exports use UTF-16 with a mark',
  });
  unsay('Tamarisk exports use UTF-16 with a mark');
  expect(read()).toEqual([
    {
      request: 'Set up exports',
      completed: 'Wrote v1.2.3 of src/export.ts.',
      notes: null,
      next_steps: '- Deploy it',
    },
  ]);
  expect(words('tamarisk')).toBe(0);
  expect(words('deploy')).toBe(1);
});

test('what is about something else stays as it is', () => {
  const told = { request: 'Fix a.b.c', completed: 'Raised the cap in src/retry.ts to 7.', nextSteps: 'Watch it.' };
  shelf.sumUp(5, told);
  const before = read();
  unsay('Tamarisk exports use UTF-16 with a mark', 'ok', '');
  expect(read()).toEqual(before);
});

test('a summary that has nothing left to say goes', () => {
  shelf.sumUp(5, { request: 'Tamarisk exports use UTF-16 with a mark' });
  unsay('Tamarisk exports use UTF-16 with a mark');
  expect(read()).toEqual([]);
  expect(words('tamarisk')).toBe(0);
});

test('the open steps of the turn that say what is gone go, too', () => {
  shelf.ask('Set up exports', 5);
  const turn = { sessionId: shelf.sessionId, projectId: shelf.projectId, promptNumber: 1, at: 5 };
  putSteps(store.db, turn, [
    { text: 'Tell them that Tamarisk exports use UTF-16 with a mark', source: 'closing' },
    { text: 'Deploy it', source: 'closing' },
  ]);
  unsay('Tamarisk exports use UTF-16 with a mark');
  expect(listOpenSteps(store.db, { projectIds: null, limit: 9 }).map(({ text }) => text)).toEqual(['Deploy it']);
});
