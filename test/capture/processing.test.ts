// What is worked on, and what only waits for the end of its turn.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { insertBatch } from '../../src/capture/batches.ts';
import { readProcessing } from '../../src/capture/queue.ts';
import { bash, sessionEnd, stop, userPrompt } from '../support/payloads.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

const open = (session: string) => {
  store.take('new', userPrompt(session, '/shop', 'Add the tax'));
  store.take('save', bash(session, '/shop', 'bun test', 'ok'));
};

test('a turn that goes on waits for its end: nobody works on it', () => {
  open('s1');
  expect(readProcessing(store.db)).toEqual({ isProcessing: false, queueDepth: 2, openTurns: 2, sessions: ['s1'] });
});

test.each([
  ['a turn', () => store.take('summary', stop('s1', '/shop', 'Done.'))],
  ['a session', () => store.take('cleanup', sessionEnd('s1', '/shop'))],
])('%s that has ended is worked on, beside one that goes on', (_, end) => {
  open('s1');
  end();
  open('s2');
  expect(readProcessing(store.db)).toEqual({ isProcessing: true, queueDepth: 5, openTurns: 2, sessions: ['s1', 's2'] });
});

test('a turn that waits for a model is worked on', () => {
  open('s1');
  store.db.run("UPDATE events SET status = 'done'");
  expect(readProcessing(store.db)).toMatchObject({ isProcessing: false, queueDepth: 0 });
  insertBatch(store.db, { sessionId: 1, promptNumber: 1, status: 'waiting', at: 0 });
  expect(readProcessing(store.db)).toEqual({ isProcessing: true, queueDepth: 1, openTurns: 0, sessions: ['s1'] });
});
