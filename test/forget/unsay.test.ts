import { afterEach, beforeEach, expect, test } from 'bun:test';
import { listOpenSteps, putSteps } from '../../src/memory/open-steps.ts';
import { unsayInSummaries } from '../../src/memory/repeats.ts';
import { openShelf, type Shelf } from '../support/memories.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
let shelf: Shelf;
beforeEach(() => {
  store = createTestStore();
  shelf = openShelf(store.db, '/home/dev/shop', 'one');
});
afterEach(() => store.close());

const GONE = 'Tamarisk exports use UTF-16 with a mark';
const OTHER = { request: 'Fix a.b.c', completed: 'Raised the cap in src/retry.ts to 7.', nextSteps: 'Watch it.' };
const empty = { request: null, completed: null, nextSteps: null, notes: null };

test.each([
  [
    'loses the sentences that say what is gone',
    {
      request: 'Set up exports',
      completed: `${GONE}. Wrote v1.2.3 of src/export.ts.`,
      notes: `Decided: ${GONE}.`,
      nextSteps: `- Deploy it\n- Tell: ${GONE}`,
    },
    [{ ...empty, request: 'Set up exports', completed: 'Wrote v1.2.3 of src/export.ts.', nextSteps: '- Deploy it' }],
  ],
  ['about something else stays as it is', OTHER, [{ ...empty, ...OTHER }]],
  ['goes when it has nothing left to say', { request: GONE }, []],
])('a summary %s', (_, before, after) => {
  shelf.sumUp(5, before);
  shelf.ask('Set up exports', 5);
  const turn = { sessionId: shelf.sessionId, projectId: shelf.projectId, promptNumber: 1, at: 5 };
  const steps = [`Tell them that ${GONE}`, 'Open it'].map((text) => ({ text, source: 'closing' }) as const);
  putSteps(store.db, turn, steps);
  store.db.transaction(() => unsayInSummaries(store.db, { ...turn, texts: [GONE, 'ok', ''] }))();
  expect(store.db.query('SELECT request, completed, next_steps AS nextSteps, notes FROM summaries').all()).toEqual(after);
  expect(store.db.query("SELECT rowid FROM words WHERE words MATCH 'tamarisk'").all()).toEqual([]);
  // With the open steps of the turn that say it.
  expect(listOpenSteps(store.db, { projectIds: null, limit: 9 }).map(({ text }) => text)).toEqual(['Open it']);
});
