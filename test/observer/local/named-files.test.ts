import { expect, test } from 'bun:test';
import { distilTurn } from '../../../src/observer/distil-turn.ts';
import { observeLocally } from '../../../src/observer/local/observe.ts';
import { edit, stop, userPrompt } from '../../support/payloads.ts';
import { byRules, createTestStore } from '../../support/store.ts';

const CWD = '/home/dev/shop';

function observe(prompt: string, message: string): { type: string; title: string; files: string[] }[] {
  const store = createTestStore();
  store.take('new', userPrompt('one', CWD, prompt));
  store.take('save', edit('one', CWD, 'src/retry.ts', ['-const CAP = 10;', '+const CAP = 7;']));
  store.take('summary', stop('one', CWD, message));
  distilTurn(store.db, 1, byRules(observeLocally));
  const rows = store.db
    .query<{ type: string; title: string; files: string }, []>(
      'SELECT type, title, files_read AS files FROM observations',
    )
    .all();
  store.close();
  return rows.map(({ files, ...row }) => ({ ...row, files: JSON.parse(files) }));
}

test('a decision that names a file is about it, by its path or its name', () => {
  const told = observe(
    'We decided that retry.ts must never retry more than 7 times.',
    'Done. We decided to keep the schedule in lib/backoff.ts rather than inline it, because two callers share it.',
  );
  const decisions = told.filter(({ type }) => type === 'decision');
  expect(decisions.flatMap(({ files }) => files).sort()).toEqual(['lib/backoff.ts', 'src/retry.ts']);
});

test('what names no file is about none, and an address is no path', () => {
  const told = observe(
    'We always round prices half up, never to even.',
    'Done. We decided to follow https://example.com/docs/rounding.html rather than our own rule, because auditors know it.',
  );
  const decisions = told.filter(({ type }) => type === 'decision');
  expect(decisions.length).toBeGreaterThan(0);
  expect(decisions.flatMap(({ files }) => files)).toEqual([]);
});
