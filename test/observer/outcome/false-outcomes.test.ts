// What must not settle a fix: commands in other trees, reverts of other commits, runs that show nothing, commits of other files.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createToldWork, type Deed, type ToldWork } from '../../support/told-work.ts';

let told: ToldWork;
beforeEach(() => {
  told = createToldWork();
});
afterEach(() => told.close());

const FIX: Deed = { edited: 'src/cart.ts', lines: ['-  return sum * rate;', '+  return Math.round(sum * rate);'] };
const GREEN: Deed = { ran: 'npm test', out: 'Tests: 12 passed, 12 total' };
const COMMIT: Deed = { ran: 'git commit -am "Fix rounding"', out: '[main abc1234] Fix rounding\n 1 file changed' };

/** The outcome of a fix made with these deeds after it, and then these of the next turn; `given` = what is told as given up. */
function fixThen(first: Deed[], next: Deed[]) {
  const made = told.turn('s1', 'Fix the rounding bug in src/cart.ts', [FIX, ...first], 'Fixed the rounding bug.');
  const fix = made.find((work) => work.type === 'bugfix');
  if (!fix) throw new Error('the rules told of no fix');
  const later = next.length > 0 ? told.turn('s1', 'Go on.', next, 'I looked at it.') : made;
  return { outcome: told.outcomeOf(fix.id), given: later.filter((work) => work.outcome === 'ruled-out') };
}

describe('a fix is not ruled out by', () => {
  test.each([
    ['git revert --no-edit deadbee', '[main 7777777] Revert "Something else"'],
    ['git revert --no-edit HEAD', '[main 7777777] Revert "Something else"'],
    ['git revert --abort', ''],
  ])('%s, when it was committed', (ran, out) => {
    expect(fixThen([GREEN, COMMIT], [{ ran, out }])).toEqual({ outcome: 'passed', given: [] });
  });

  test.each([
    'cd ../other && git checkout .',
    'cd /srv/other && git checkout -- .',
    '(cd ../other && git reset --hard)',
    'cd "$OTHER" && git checkout .',
    'git -C ../other reset --hard',
    'git --work-tree=/srv/other checkout .',
    'cd legacy && git checkout .',
    'git checkout -- legacy/src/cart.ts',
    'cd legacy && git checkout -- src/cart.ts',
    'git restore -p src/cart.ts',
    'git restore -S src/cart.ts',
    'git checkout --ours src/cart.ts',
    'git stash && npm test && git stash pop',
    'git stash push -- README.md',
    'git stash drop',
  ])('%s', (ran) => {
    expect(fixThen([GREEN], [{ ran, out: 'Tests: 12 passed, 12 total' }])).toEqual({ outcome: 'passed', given: [] });
  });
});

describe('a fix is ruled out by', () => {
  test.each([
    'git checkout .',
    'cd src && git checkout -- cart.ts',
    'git -C src checkout -- cart.ts',
    '(cd ../other && ls); git checkout -- src/cart.ts',
    'cd /home/dev/shop && git reset --hard',
    'git restore --staged --worktree src/cart.ts',
  ])('%s', (ran) => expect(fixThen([GREEN], [{ ran }]).outcome).toBe('ruled-out'));

  test('the revert of its own commit', () => {
    const revert = { ran: 'git revert --no-edit abc1234', out: '[main 7777777] Revert "Fix rounding"' };
    const { outcome, given } = fixThen([GREEN, COMMIT], [revert]);
    expect(outcome).toBe('ruled-out');
    expect(given).toHaveLength(1);
  });
});

const UNPROVEN: [string, string][] = [
  ['npx vitest run --passWithNoTests', 'No test files found, exiting with code 0'],
  ['npx jest --listTests', '/x/src/cart.test.ts'],
  ['npx vitest list', 'src/cart.test.ts > rounds'],
  ['npx vitest --help', 'Usage: vitest'],
  ['npm test -- --help', 'Usage: vitest'],
  ['npx jest', 'Tests: 12 skipped, 12 total'],
  ['npx vitest run', ' Test Files  1 skipped (1)\n      Tests  12 skipped (12)'],
  ['bun test', ' 0 pass\n 12 skip\n 0 fail'],
  ['cd ../other && npm test', 'Tests: 3 passed, 3 total'],
  ['cd packages/api && npm test', 'Tests: 3 passed, 3 total'],
  ['timeout 5 npm test; true', '> jest\n'],
  ['npm test || true', '> jest\n'],
  ['npm test 2>&1 | tail -5', ''],
  ['(npm test) | tail -5', ''],
  ['npm run build | tail -1', '> shop@1.0.0 build'],
  ['npm test &', ''],
  ['git stash && npm test && git stash pop', 'Tests: 12 passed, 12 total'],
  ['git checkout main && npm test', 'Tests: 12 passed, 12 total'],
  ['node --version', 'v22.1.0'],
];

const COMMITS_OF_OTHERS: [string, string][] = [
  [
    'git commit -m "Docs only"',
    '[main 1234567] Docs only\n 1 file changed, 1 insertion(+)\n create mode 100644 README.md',
  ],
  ['git commit -m "Docs"', '[main 1234567] Docs\n 1 file changed, 1 insertion(+)'],
  ['git add legacy/src/cart.ts && git commit -m "Old"', '[main 1234567] Old\n 1 file changed'],
  ['cd ../other && git commit -am "Other"', '[main 1234567] Other\n 1 file changed'],
  ['git -C ../other commit -am "Other"', '[main 1234567] Other\n 1 file changed'],
];

describe.each([...UNPROVEN, ...COMMITS_OF_OTHERS])('a fix is not proven by %s', (ran, out) => {
  test('in a later turn', () => expect(fixThen([], [{ ran, out }]).outcome).toBe('unverified'));
  test('in its own turn', () => expect(fixThen([{ ran, out }], []).outcome).toBe('unverified'));
});

describe.each([
  ['npm test | tail -1', 'Tests: 12 passed, 12 total'],
  ['npm test > /tmp/log 2>&1; tail -3 /tmp/log', '  12 passing'],
  ['set -o pipefail; npm run build | tail -1', '> shop@1.0.0 build'],
  ['npm run build 2>&1 | tail -3', '✓ built in 2.31s'],
  ['npx tsc --noEmit 2>&1 | head -20', ''],
  ['npx tsc --noEmit; echo "exit: $?"', 'exit: 0'],
  ['npm test || exit 1', '> jest'],
  ['git stash; git stash pop; npm test', 'Tests: 12 passed, 12 total'],
  ['cd src && npm test', 'Tests: 12 passed, 12 total'],
  ['(cd ../other && ls); npm test', 'Tests: 12 passed, 12 total'],
])('a fix is proven by %s', (ran, out) => {
  test('in a later turn', () => expect(fixThen([], [{ ran, out }]).outcome).toBe('passed'));
  test('in its own turn', () => expect(fixThen([{ ran, out }], []).outcome).toBe('passed'));
});

describe.each([
  ['git add src && git commit -m "Fix rounding"', '[main 1234567] Fix rounding\n 1 file changed, 1 insertion(+)'],
  [
    'git commit -m "Fix rounding" && git show --stat',
    '[main 1234567] Fix rounding\n src/cart.ts | 2 +-\n 1 file changed',
  ],
])('%s', (ran, out) => {
  test('in a later turn bears a fix out', () => expect(fixThen([], [{ ran, out }]).outcome).toBe('passed'));
  test('in the turn that made it does not', () => expect(fixThen([{ ran, out }], []).outcome).toBe('unverified'));
  test('after a run that passed takes nothing away', () =>
    expect(fixThen([GREEN, { ran, out }], []).outcome).toBe('passed'));
});

test('what was committed in its own turn is not borne out by the next commit of everything', () => {
  const next: Deed = { ran: 'git commit -am "Say more"', out: '[main 7654321] Say more\n 1 file changed' };
  expect(fixThen([COMMIT], [next]).outcome).toBe('unverified');
  expect(fixThen([COMMIT], [GREEN]).outcome).toBe('passed');
});

test.each(['python3 -m py_compile src/cart.ts', 'node --check src/cart.ts', 'bash -n src/cart.ts', 'npx eslint src'])(
  '%s shows nothing of what a fix does',
  (ran) => {
    expect(fixThen([{ ran }], []).outcome).toBe('unverified');
    expect(fixThen([], [{ ran }]).outcome).toBe('unverified');
  },
);

test('a red run while the fix was stashed does not make it a failed one', () => {
  const red: Deed = { failed: 'npm test', out: 'Tests: 1 failed, 11 passed, 12 total' };
  expect(fixThen([GREEN, { ran: 'git stash' }, red, { ran: 'git stash pop' }], []).outcome).toBe('passed');
});

test('what a run without a result is told as does not say that it passed', () => {
  told.turn(
    's1',
    'Fix the rounding bug in src/cart.ts',
    [FIX, { ran: 'npm test | tail -1' }],
    'Fixed the rounding bug.',
  );
  const { text } = told.db
    .query<{ text: string }, []>(
      "SELECT (SELECT group_concat(facts) FROM observations) || coalesce((SELECT group_concat(notes) FROM summaries), '') AS text",
    )
    .get() ?? { text: '' };
  expect(text).not.toContain('npm test: passed');
});
