// A model's words take the place of the rules' own, but how the work ended stays what the runs say, also the later ones.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { distilTurn } from '../../../src/observer/distil-turn.ts';
import { observeLocally } from '../../../src/observer/local/observe.ts';
import { deepenBatch } from '../../../src/observer/model/deepen-batch.ts';
import { loadMode } from '../../../src/observer/modes.ts';
import { bash, edit, stop, userPrompt } from '../../support/payloads.ts';
import { createTestStore, type TestStore } from '../../support/store.ts';

const CWD = '/home/dev/shop';
const CLAIM = `<observation><type>bugfix</type><title>Cart total is rounded</title><outcome>passed</outcome>
<narrative>All tests pass, it is verified.</narrative><files_modified>src/cart.ts</files_modified><sources>2</sources></observation>`;

let store: TestStore;
beforeEach(() => {
  store = createTestStore();
});
afterEach(() => store.close());

function turn(prompt: string, payloads: unknown[]): void {
  store.take('new', userPrompt('s', CWD, prompt));
  for (const payload of payloads) store.take('save', payload);
  store.take('summary', stop('s', CWD, 'Fixed the rounding of the total. It works now.'));
  distilTurn(store.db, 1, { observe: observeLocally, isForModel: () => true, clock: Date.now });
}

const ignore = () => undefined;

const deepen = (batchId: number) =>
  deepenBatch(
    {
      db: store.db,
      access: {
        id: 'a',
        provider: 'fake',
        model: 'fake-1',
        ask: async () => ({
          text: CLAIM,
          isCutOff: false,
          usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1 },
        }),
      },
      prompt: { mode: loadMode('code', null), verbosity: 'normal', language: null },
      budget: { dailyTokens: 200_000, dailyCalls: 300, sessionTokens: 100_000, sessionCalls: 100 },
      answerMs: 1000,
      retryMs: 1000,
      observe: observeLocally,
      isWanted: () => true,
      clock: Date.now,
      random: () => 0.5,
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      signal: new AbortController().signal,
    },
    batchId,
  );

const told = () =>
  store.db.query('SELECT title, outcome, provisional FROM observations WHERE batch_id = 1 AND type = ?').all('bugfix');

const FIX = () => edit('s', CWD, 'src/cart.ts', ['-  return sum * rate;', '+  return Math.round(sum * rate);']);

test('a model that says "passed" is not believed when nothing was run', async () => {
  turn('The total has too many decimals. Fix it.', [FIX()]);
  await deepen(1);
  expect(told()).toEqual([{ title: 'Cart total is rounded', outcome: 'unverified', provisional: 0 }]);
});

test('what a later turn proved stays proven when the model answers late', async () => {
  turn('The total has too many decimals. Fix it.', [FIX()]);
  turn('Run the tests.', [bash('s', CWD, 'bun test', '12 pass\n 0 fail')]);
  expect(told()).toMatchObject([{ outcome: 'passed', provisional: 1 }]);
  await deepen(1);
  expect(told()).toEqual([{ title: 'Cart total is rounded', outcome: 'passed', provisional: 0 }]);
});
