// Work, fixes and dead ends: what the observer makes of edits, failures, commits and the words about them.
import { describe, expect, test } from 'bun:test';
import { create, edit, fails, observe, prompt, run, stop } from './script.ts';

const RED = `FAIL src/range.test.ts
  ● parseRange › keeps the last byte

    Expected: 4
    Received: 3

Tests:       1 failed, 40 passed, 41 total`;
const GREEN = 'Tests:       41 passed, 41 total';
const FIX = edit(
  'src/range.ts',
  ' export function parseRange(text) {',
  '-  for (; i < end; i++) {',
  '+  for (; i <= end; i++) {',
);

describe('a failure that was fixed', () => {
  const { observations } = observe([
    prompt('the range endpoint drops the last byte, please fix'),
    fails('npx jest range', RED),
    FIX,
    run('npx jest range', GREEN),
    run('git commit -am "fix(range): include the last byte"', '[main a1b2c3d] fix(range): include the last byte'),
    stop('Fixed the off-by-one in `parseRange`: the loop used `<`, so the last byte was dropped. All 41 tests pass.'),
  ]);
  const [fix] = observations;
  const facts = fix?.facts.map((fact) => fact.text) ?? [];

  test('is one observation with fix, commit and closing message together', () => {
    expect(observations).toHaveLength(1);
    expect(fix).toMatchObject({ type: 'bugfix', outcome: 'passed', filesModified: ['src/range.ts'] });
    expect(fix?.title).toBe('Fix the off-by-one in parseRange: the loop used <, so the last byte was dropped');
  });

  test('names failing test, change, proof and commit, and not the cause that its title tells', () => {
    expect(facts.join('\n')).not.toContain('the last byte was dropped');
    expect(facts).toContain('Before: jest: 1 of 41 failed: parseRange › keeps the last byte — expected 4, got 3.');
    expect(facts).toContain('src/range.ts: changed parseRange (+1 −1 lines)');
    expect(facts).toContain('jest: 41 passed.');
    expect(facts).toContain('Commit a1b2c3d: fix(range): include the last byte');
  });

  test('gives every fact its source events', () => {
    expect(fix?.facts.find((fact) => fact.text.startsWith('Before'))?.sources).toEqual(['e2']);
    expect(fix?.facts.every((fact) => fact.sources.length > 0)).toBe(true);
    expect(new Set(fix?.sources)).toEqual(new Set(['e2', 'e3', 'e4', 'e5', 'e6']));
  });
});

test('a failure of an earlier turn is the cause of the fix made now', () => {
  const { observations } = observe(
    [prompt('try again'), FIX, run('npx jest', GREEN), stop('The loop bound in `parseRange` was wrong.')],
    [fails('npx jest range', RED)],
  );
  expect(observations[0]).toMatchObject({ type: 'bugfix', outcome: 'passed' });
  expect(observations[0]?.sources).toContain('old-e1');
});

test('a fix that nothing verified says so', () => {
  const { observations } = observe([
    prompt('fix the login redirect'),
    FIX,
    stop('Fixed the login redirect in `parseRange`.'),
  ]);
  expect(observations[0]).toMatchObject({ type: 'bugfix', outcome: 'unverified' });
});

test('a fix that still fails says so', () => {
  const { observations } = observe([
    prompt('fix it'),
    fails('npx jest', RED),
    FIX,
    fails('npx jest', RED),
    stop('It still fails.'),
  ]);
  expect(observations[0]).toMatchObject({ type: 'bugfix', outcome: 'failed' });
});

test('a mistyped command run again correctly is not remembered', () => {
  const { observations } = observe([
    prompt('run the tests'),
    fails('npm run tset', 'npm error Missing script: "tset"'),
    run('npm test', GREEN),
    stop('All 41 tests pass.'),
  ]);
  expect(observations).toEqual([]);
});

test('a missing package that made tests fail is a fix', () => {
  const { observations } = observe([
    prompt('run the tests'),
    fails('bun test', "error: Cannot find module 'zod' from 'src/a.ts'\n 0 pass\n 1 fail"),
    run('bun add zod', 'installed zod@3.22.4'),
    run('bun test', ' 41 pass\n 0 fail'),
    stop('The tests failed because zod was not installed.'),
  ]);
  expect(observations[0]).toMatchObject({ type: 'bugfix', outcome: 'passed' });
  expect(observations[0]?.facts.map((fact) => fact.text)).toContain('Add zod 3.22.4 (bun).');
});

describe('an attempt that was given up', () => {
  const attempt = edit('shop/db.py', '-POOL_SIZE = 5', '+POOL_SIZE = 20');
  const red = fails(
    'pytest -q',
    'FAILED tests/test_a.py::test_b - TimeoutError: pool exhausted\n1 failed, 1 passed in 3.2s',
  );

  test('by git is ruled out, with what was tried and why it failed', () => {
    const { observations } = observe([
      prompt('checkout is flaky'),
      attempt,
      red,
      run('git checkout -- shop/db.py'),
      stop('I tried raising POOL_SIZE to 20, but that only delayed the failure, so I reverted it.'),
    ]);
    expect(observations).toHaveLength(1);
    expect(observations[0]).toMatchObject({ outcome: 'ruled-out', filesModified: [] });
    expect(observations[0]?.title).toContain('raising POOL_SIZE to 20');
    expect(observations[0]?.facts.map((fact) => fact.text).join('\n')).toContain('pool exhausted');
  });

  test('by the inverse edit is ruled out even when nobody says a word', () => {
    const { observations } = observe([
      prompt('checkout is flaky'),
      attempt,
      red,
      edit('shop/db.py', '-POOL_SIZE = 20', '+POOL_SIZE = 5'),
      stop('Done.'),
    ]);
    expect(observations).toHaveLength(1);
    expect(observations[0]?.title).toBe(
      'Tried and undone: Change POOL_SIZE from 5 to 20 in db.py — TimeoutError: pool exhausted',
    );
  });

  test('is not a print statement put in and taken out', () => {
    const { observations } = observe([
      prompt('look into it'),
      edit('a.js', '+console.log(x)'),
      edit('a.js', '-console.log(x)'),
      stop('Nothing found.'),
    ]);
    expect(observations).toEqual([]);
  });

  test('of an earlier turn is ruled out when its commit is reverted', () => {
    const { observations } = observe(
      [
        prompt('that made it worse, revert it'),
        run('git revert --no-edit HEAD', '[main 99aa88b] Revert "Cache products"'),
        stop('Reverted the product cache: memory grew to 2 GB because entries were never evicted.'),
      ],
      [
        edit('src/products.ts', '+const cache = new Map();'),
        run('git commit -am "Cache products"', '[main 11aa22b] Cache products'),
      ],
    );
    expect(observations).toHaveLength(1);
    expect(observations[0]).toMatchObject({ outcome: 'ruled-out', filesRead: ['src/products.ts'] });
  });
});

describe('the kind of work', () => {
  const code = create('src/csv.ts', 'export function toCsv(rows) {', '}');
  test.each([
    ['feature', [prompt('we need csv'), code, stop('Done.')]],
    ['feature', [prompt('Add CSV export'), code, stop('Added `toCsv`.')]],
    ['refactor', [prompt('x'), edit('a.ts', '-function getUser() {', '+function fetchUser() {'), stop('Done.')]],
    ['change', [prompt('document it'), edit('README.md', '+# Hi'), stop('Wrote the readme.')]],
    ['change', [prompt('bump the limit'), edit('a.ts', '-const LIMIT = 3;', '+const LIMIT = 5;'), stop('Done.')]],
    ['bugfix', [prompt('the total is wrong'), edit('a.ts', '-a', '+b'), stop('Done, it adds up.')]],
    ['feature', [prompt('x'), code, run('git commit -am "feat: CSV"', '[main abc1234] feat: CSV'), stop('Done.')]],
  ])('is a %s', (type, turn) => {
    expect(observe(turn).observations[0]?.type as string).toBe(type);
  });
});

test('two commits in one turn are two pieces of work, each with its own files', () => {
  const { observations } = observe([
    prompt('fix the date bug and add csv export'),
    edit('src/date.ts', '-  return d.toLocaleString()', '+  return d.toISOString()'),
    run('git add src/date.ts && git commit -m "fix: format dates in UTC"', '[main aaaaaaa] fix: format dates in UTC'),
    create('src/csv.ts', 'export function toCsv(rows) {'),
    run('git add -A && git commit -m "feat: CSV export of orders"', '[main bbbbbbb] feat: CSV export of orders'),
    stop('Both are in.'),
  ]);
  expect(observations.map((one) => [one.type, one.title, one.filesModified])).toEqual([
    ['bugfix', 'Format dates in UTC', ['src/date.ts']],
    ['feature', 'CSV export of orders', ['src/csv.ts']],
  ]);
});

test('a commit of work that an earlier turn told is not told again', () => {
  const { observations, summary } = observe(
    [prompt('commit!'), run('git commit -am "Add CSV"', '[main abc1234] Add CSV'), stop('Committed.')],
    [create('src/csv.ts', 'export function toCsv() {')],
  );
  expect(observations).toEqual([]);
  expect(summary?.completed).toBe('Committed abc1234: Add CSV.');
});

test('a list of fixed bugs is one observation each', () => {
  const { observations } = observe([
    prompt('fix the bugs in the list'),
    edit('src/a.ts', ' function applyDiscount() {', '-x', '+y'),
    edit('src/b.ts', ' function sendMail() {', '-x', '+y'),
    stop(
      'Fixed both bugs:\n\n- **Discount applied twice** (`applyDiscount`): the total was taxed twice\n- **Mails to deleted users** (`sendMail`): the query ignored `deleted_at`',
    ),
  ]);
  expect(observations.map((one) => one.filesModified)).toEqual([['src/a.ts'], ['src/b.ts']]);
});

test('routine looking around makes no observation', () => {
  const { observations } = observe([
    prompt('what is the git status'),
    run('git status', 'clean'),
    run('ls'),
    stop('The tree is clean.'),
  ]);
  expect(observations).toEqual([]);
});
