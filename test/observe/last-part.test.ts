// A long turn is observed in parts while it goes on: its summary is about all of it.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import type { Batch, Observed } from '../../src/core/batch.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { bash, edit, stop, userPrompt } from '../support/payloads.ts';
import { byRules, createTestStore, type TestStore } from '../support/store.ts';

const CWD = '/home/dev/shop';
let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

/** Says of a batch what stands in it, and nothing else. */
function observe({ events }: Batch): Observed {
  const end = events.find(({ kind }) => kind === 'stop');
  const request = events.find((event) => event.kind === 'prompt')?.text ?? null;
  const nothing = { investigated: null, learned: null, completed: null, nextSteps: null, notes: null };
  const summary = end ? { ...nothing, request, filesRead: [], filesEdited: [], at: end.at } : null;
  return { observations: [], summary, title: null, subtitle: null };
}
const distil = () => processTurn(store.db, 1, byRules(observe));
const summaries = () => store.db.query('SELECT request, files_edited AS edited FROM summaries -- of a test').all();

test('what was asked and edited before its last part is told, too', () => {
  store.take('new', userPrompt('s', CWD, 'Make the clock\n  strike'));
  store.take('save', edit('s', CWD, 'clock.ts', ['+strike()']));
  distil();
  expect(summaries()).toEqual([]);
  store.take('save', bash('s', CWD, 'ls', 'clock.ts'));
  store.take('summary', stop('s', CWD, 'It does.'));
  expect(distil()).toMatchObject({ kind: 'observed', noSummary: null });
  expect(summaries()).toEqual([{ request: 'Make the clock strike', edited: '["clock.ts"]' }]);
});

test('what follows the end of a turn is no part of it', () => {
  store.take('new', userPrompt('s', CWD, 'Make the clock strike'));
  store.take('save', edit('s', CWD, 'clock.ts', ['+strike()']));
  store.take('summary', stop('s', CWD, 'It does.'));
  distil();
  const before = summaries();
  store.take('summary', stop('s', CWD, 'It still does.'));
  distil();
  expect(summaries()).toEqual(before);
});
