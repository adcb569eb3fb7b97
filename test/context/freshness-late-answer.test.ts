import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createFreshness } from '../../src/context/freshness.ts';
import { loadMode } from '../../src/model/modes.ts';
import { summariseBatch } from '../../src/model/summarise.ts';
import { readEvidence } from '../../src/observe/evidence.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { processTurn } from '../../src/observe/process-turn.ts';
import { edit, stop, userPrompt } from '../support/payloads.ts';
import { createTestRepository, type TestRepository } from '../support/repository.ts';
import { createTestStore, type TestStore } from '../support/store.ts';

let repository: TestRepository;
let store: TestStore;
beforeEach(() => {
  repository = createTestRepository();
  store = createTestStore();
});
afterEach(() => {
  store.close();
  repository.close();
});

const ANSWER = `<observation><type>bugfix</type><title>Cart total is rounded</title><narrative>The total had too many decimals.</narrative>
<files_modified>src/cart.ts</files_modified><sources>2</sources></observation>`;
const ignore = () => undefined;

const answerLate = () =>
  summariseBatch(
    {
      db: store.db,
      access: {
        id: 'a',
        provider: 'fake',
        model: 'fake-1',
        ask: async () => ({
          text: ANSWER,
          isCutOff: false,
          usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1 },
        }),
      },
      prompt: { mode: loadMode('code', null), verbosity: 'normal', language: null },
      budget: { dailyTokens: 200_000, dailyCalls: 300, sessionTokens: 100_000, sessionCalls: 100 },
      answerMs: 1000,
      retryMs: 1000,
      observe: observeBatch,
      readEvidence,
      isWanted: () => true,
      clock: Date.now,
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      signal: new AbortController().signal,
    },
    1,
  );

test('a model that answers late tells of the files as they were after the turn', async () => {
  const { root } = repository;
  const [before, after] = ['  return sum * rate;\n', '  return Math.round(sum * rate);\n'];
  repository.write('src/cart.ts', before);
  const head = repository.commit('begin');
  repository.write('src/cart.ts', after);
  const blob = repository.git('hash-object', 'src/cart.ts');
  store.take('new', userPrompt('s', root, 'The total has too many decimals. Fix it.'));
  store.take('save', edit('s', root, 'src/cart.ts', [`-${before.trimEnd()}`, `+${after.trimEnd()}`]));
  store.take('summary', stop('s', root, 'Fixed the rounding of the total.'));
  processTurn(store.db, 1, { observe: observeBatch, isForModel: () => true, readEvidence, clock: Date.now });
  repository.write('src/cart.ts', before);
  repository.git('checkout', '-q', '-b', 'other');
  repository.git('commit', '-q', '--allow-empty', '-m', 'other');

  await answerLate();
  const rows = store.db
    .query<{ id: number; at: number; head: string; branch: string; title: string }, []>(
      "SELECT id, created_at_epoch AS at, head, branch, title FROM observations WHERE type = 'bugfix'",
    )
    .all();
  expect(rows).toMatchObject([{ title: 'Cart total is rounded', head, branch: 'main' }]);
  expect(store.db.query('SELECT path, blob FROM citations WHERE observation_id = ?').all(rows[0]?.id ?? 0)).toEqual([
    { path: 'src/cart.ts', blob },
  ]);
  repository.git('checkout', '-q', 'main');
  const found = await createFreshness({ db: store.db, deadlineMs: 5000 }).check(rows, { root, branch: 'main' });
  expect([...found.values()]).toMatchObject([{ word: 'reverted' }]);
});
