// Decisions are the user's: an answer, a plan approved or refused, and what a prompt lays down.
import { describe, expect, test } from 'bun:test';
import type { EventBody } from '../../src/core/event.ts';
import type { Batch } from '../../src/core/observation.ts';
import { observeBatch } from '../../src/observe/observe.ts';
import { writeRecord } from '../../src/turns/record.ts';
import { ask, batch, edit, plan, prompt, read, stop, tool } from '../support/script.ts';

const decided = (turn: EventBody[], before: Batch['before'] = []) =>
  observeBatch({ ...batch(turn, []), before }).observations.filter(({ type }) => type === 'decision');

describe('a decision', () => {
  test('is the answer to a question, with what was not chosen', () => {
    const [choice] = decided([
      prompt('Give the cart a store.'),
      ask('Which store for the cart?', 'SQLite', ['SQLite', 'Redis']),
      stop('I use SQLite.'),
    ]);
    expect(choice).toMatchObject({ origin: 'user', title: 'Which store for the cart → SQLite' });
    expect(choice?.facts.map(({ text }) => text)).toContain('Rejected: Redis');
  });

  test('is a plan that was approved; of a refused one, what the user said instead', () => {
    const text = '# Move the cart to SQLite\n\n1. Write the migration of the cart table\n2. Read from both for a week';
    expect(decided([prompt('Plan it'), plan(text), stop('I begin.')])[0]?.title).toContain('Move the cart to SQLite');
    const refused: EventBody = {
      ...tool('ExitPlanMode', { type: 'plan', text }, 'It was not allowed. The user said: no second store, keep Redis'),
      isUndone: true,
    } as EventBody;
    const [no] = decided([prompt('Plan it'), refused, stop('Understood.')]);
    expect(no?.title).toContain('keep Redis');
    expect(no?.origin).toBe('user');
  });

  const cached = edit('src/cart.ts', '+const cache = new Map();');

  test('of a plan is tied to the files that its turn edited, whether it was approved or not', () => {
    const [yes] = decided([prompt('Plan it'), plan('# Keep the carts in memory for one minute'), cached, stop('Done.')]);
    expect(yes).toMatchObject({ filesModified: ['src/cart.ts'], steps: [0, 1] });
    const said = 'It was not allowed. The user said: keep the carts in memory, no Redis';
    const refused = { ...tool('ExitPlanMode', { type: 'plan', text: '# Redis' }, said), isUndone: true } as EventBody;
    expect(decided([prompt('Plan it'), refused, cached, stop('Done.')])[0]?.filesModified).toEqual(['src/cart.ts']);
  });

  test('of a plan leaves the work beside it, in whose place a prompt that lays it down stands', () => {
    const said = 'It was not allowed. The user said: keep the carts in memory, no Redis';
    const refused = { ...tool('ExitPlanMode', { type: 'plan', text: '# Redis' }, said), isUndone: true } as EventBody;
    const end = stop('Carts are kept in memory. Nothing clears them yet.');
    const typesOf = (...turn: EventBody[]) => observeBatch(batch([...turn, cached, end], [])).observations.map(({ type }) => type);
    expect(typesOf(prompt('Plan it'), refused)).toEqual(['decision', 'change']);
    expect(typesOf(prompt('Keep the carts in memory and not in Redis, const cache.'))).toEqual(['decision']);
  });

  test('of a plan is named by its first words that stand alone', () => {
    const [yes] = decided([prompt('Plan it'), plan('# Cache the cart\n\n- Keep the carts in memory for a minute'), stop('I begin.')]);
    expect(yes?.title).toContain('Keep the carts in memory for a minute');
  });

  test.each([
    'I do not see the drag handles and the buttons are also still there',
    'Can we record the key combination instead of selecting it',
    'It is still done by the local model and not by the remote',
    'A customer complained: she has the drag handles, and the page said only "buttons are there"',
  ])('is not what the user sees or asks for: %s', (text) => {
    const handles = edit(
      'src/options.ts',
      '-const buttons = true;',
      '+const handles = true; // drag handles, key combination, local model',
    );
    expect(decided([prompt(text), handles, stop('The drag handles are there and the buttons are gone.')])).toEqual([]);
  });

  test('is what the prompt lays down and the turn takes up', () => {
    const [days] = decided([
      prompt('Keep the audit rows for 30 days, not for ever. Also tidy the imports.'),
      edit('src/audit.ts', '-const KEEP_DAYS = Infinity;', '+const KEEP_DAYS = 30;'),
      stop('Audit rows are kept for 30 days.'),
    ]);
    expect(days).toMatchObject({ origin: 'user', filesModified: ['src/audit.ts'] });
    expect(days?.title).toContain('30 days');
    expect(days?.title).not.toContain('imports');
  });

  test('of several sentences is named by them as they were written', () => {
    const [wait] = decided([
      prompt('Wait 15 seconds for the carrier instead of 8. Their support says that the slowest answers take 11 seconds.'),
      edit('src/carrier.ts', '-const WAIT_MS = 8_000;', '+/** The slowest answers take 11 seconds. */\n+const WAIT_MS = 15_000;'),
      stop('The tracking page waits 15 seconds for the carrier now.'),
    ]);
    expect(wait?.title).toBe('Wait 15 seconds for the carrier instead of 8. Their support says that the slowest answers take 11 seconds');
  });

  test('is told once, though the agent says it back', () => {
    const said = decided([
      prompt('Wait 15 seconds for the carrier instead of 8. Their support says that the slowest answers take 11 seconds.'),
      edit('src/carrier.ts', '-const WAIT_MS = 8_000;', '+const WAIT_MS = 15_000;'),
      stop('The page waits 15 seconds for the carrier now instead of 8, because its slowest answers take 11 seconds.'),
    ]);
    expect(said).toMatchObject([{ origin: 'user' }]);
  });

  test('is a rule when it holds from now on, and none when it is meant for this time', () => {
    const always = decided([prompt('Always run the linter before you commit.'), stop('Understood.')]);
    expect(always).toMatchObject([{ isRule: true, origin: 'user' }]);
    const once = decided([prompt('Just this time never mind the linter before you commit.'), stop('Understood.')]);
    expect(once.filter(({ isRule }) => isRule)).toEqual([]);
  });

  test('by the number of an item is told in the words of that item', () => {
    const list = 'Two ways:\n\n1. Keep the row lock, sorted by SKU\n2. No lock, an UPDATE with a condition\n\nWhich one?';
    const before = [{ promptNumber: 1, prompt: 'Stock is negative', record: writeRecord({ steps: [], closing: list }) }];
    const [choice] = decided([prompt('2 please'), edit('stock.go', '-lock()', '+update()'), stop('Done.')], before);
    expect(choice?.title).toBe('2 please → No lock, an UPDATE with a condition');
    expect(decided([prompt('2'), stop('Done.')], before)[0]?.title).toBe('2 → No lock, an UPDATE with a condition');
    const [times] = decided([prompt('Retry 2 times'), edit('stock.go', '-go()', '+retry(2)'), stop('Retried 2 times.')], before);
    expect(times?.title).not.toContain('UPDATE');
  });

  test('is neither a complaint, nor a question, nor a pasted log, nor the name of a ticket', () => {
    const turns = [
      ['PR 177 has some merge conflicts, phase 13 too', 'PR 177 is merged, phase 13 is next.'],
      ['It printed into 28c304f6-3c5f-4539-af1d when I left', 'The log of 28c304f6-3c5f-4539-af1d is its own.'],
      [
        'this is the console:\n⏺ Bash(git commit)\n  ⎿ [main a8f68ce] Red\n   1 file changed, 37 insertions',
        'I see 37 insertions in 1 file.',
      ],
      ['The import fails with 500 after 30 seconds.', 'The import of 500 rows fails after 30 seconds.'],
      ['Is 30 days not too long?', 'Thirty days (30) are what the law asks for.'],
      ['2026-01-02 10:00:00 ERROR not connected after 30 seconds', 'The server drops it after 30 seconds.'],
    ];
    const values = edit('src/import.ts', '-const a = [];', '+const a = [13, 30, 37, 177, 500];');
    for (const [asked = '', end = ''] of turns) expect(decided([prompt(asked), values, stop(end)])).toEqual([]);
  });

  test('is not what only the words of the agent take up', () => {
    const asked = 'Wait 15 seconds for the carrier instead of 8.';
    const done = edit('src/carrier.ts', '-const WAIT_MS = 8_000;', '+const WAIT_MS = 15_000;');
    const turn = (did: EventBody) => decided([prompt(asked), did, stop('We can wait 15 seconds for the carrier instead of 8.')]);
    expect(turn(done)).toHaveLength(1);
    expect(turn(read('src/carrier.ts'))).toEqual([]);
  });

  test.each([
    'Feb 9 09:00:08.120 |DEBU| hook completed success=true duration_ms=30',
    '{"parent": "8e52", "isSidechain": false, "retries": 30, "text": "not external"}',
    'hook=stop agent=claude strategy=manual retries=30 not ok',
  ])('is not what was pasted, whatever the edits have of it: %s', (line) => {
    const values = edit('src/hook.ts', '-const most = 1;', '+const most = 30; // success external');
    expect(decided([prompt(`The hook is silent, look:\n${line}`), values, stop('It waits now.')])).toEqual([]);
  });
});
