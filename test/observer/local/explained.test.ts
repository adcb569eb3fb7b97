// Messages that explain: a labelled cause with its fix, what is not green, a list of reasons, an agreement said again as a rule.
import { describe, expect, test } from 'bun:test';
import { create, edit, observe, prompt, read, report, run, stop } from './script.ts';

const repair = (asked: string, message: string) =>
  observe([
    prompt(asked),
    edit('src/pool.ts', '-size: 1', '+size: 8'),
    run('git commit -qam "chore: let the pool hold eight connections"', ''),
    stop(message),
  ]).observations;

describe('a repair', () => {
  test.each([
    '- **Cause:** the pool had one connection.\n- **Change:** eight connections.',
    '**Root cause:** the pool had one connection, both waited.\n**Fix:** eight connections.',
    'Cause: the pool had one connection.\n\nSolution: eight connections in `src/pool.ts`.',
    '## Cause\n\nThe pool had one connection and both waited.\n\n## Fix\n\nEight connections.',
    'I believe the checkout flake is gone. The pool had one connection.',
  ])('is one bugfix with its cause: %j', (message) => {
    const told = repair('have a look at the checkout job', message);
    expect(told.map((one) => one.type)).toEqual(['bugfix']);
    expect(told[0]?.facts.map((one) => one.text).join('\n')).toMatch(/Cause: the pool had one connection/i);
    expect(told[0]?.title).not.toMatch(/^(?:root )?cause/i);
  });

  test.each([
    ['nightly is red every third run', 'Nightly is green now, the pool has eight connections.', 'bugfix'],
    ['raise the pool size', 'The pool has eight connections. CI is green again.', 'change'],
    ['upgrade eslint to 9', 'Upgraded eslint to 9. All lint errors are fixed.', 'change'],
    ['add a pool setting', 'Added the setting. The error is gone.', 'change'],
    ['raise the pool size', 'Raised. Watch the log until the timeout errors are gone.', 'change'],
  ])('of %j told as %j is a %s', (asked, message, type) => {
    expect(repair(asked, message)[0]?.type).toBe(type as 'bugfix');
  });

  test('does not take "is gone" for its cause', () => {
    const [told] = repair('have a look at checkout', 'The deadlock in checkout is gone. Eight connections are enough.');
    expect(told?.type).toBe('bugfix');
    expect(told?.facts.map((one) => one.text).join('\n')).not.toContain('Cause: The deadlock');
  });

  test('never lends its label to a title', () => {
    const { observations } = observe([
      prompt('why does nightly fail?'),
      read('src/pool.ts'),
      stop('**Root cause:** `pool.ts` opens one connection only.'),
    ]);
    expect(observations[0]?.title).toBe('pool.ts opens one connection only');
  });
});

describe('what is not green', () => {
  const next = (message: string) =>
    observe([prompt('add the export'), create('src/export.ts', 'x'), run('bun test', '3 pass\n0 fail'), stop(message)])
      .summary?.nextSteps ?? null;

  test.each([
    [
      "**Not green:** `Paths.LongNames` fails on Windows. It looks like the limit, but I haven't verified it.",
      'LongNames',
    ],
    ['Still failing: `dst_gap`. Probably the zone table has not been updated.', 'dst_gap'],
    ['Red: the e2e job on Safari.', 'e2e job'],
    ['Open: who rotates the key.', 'who rotates the key'],
    ["Fails: `npm run e2e` on Node 18. My guess is fetch, I haven't run it elsewhere.", 'npm run e2e'],
    ['Not working yet: the upload on Safari.', 'upload on Safari'],
  ])('is one next step with its subject: %s', (message, subject) => {
    const steps = next(`The export is in.\n\n${message}`)?.split('\n') ?? [];
    expect(steps).toHaveLength(1);
    expect(steps[0]).toContain(subject);
  });

  test.each([
    'On a slow runner the broker was not listening yet and the test got refused.',
    'The table had not been created when the job ran.',
    'Until tomorrow.',
    'See you on Monday!',
  ])('is not the past nor small talk: %s', (message) => {
    expect(next(`The export is in.\n\n${message}`)).toBeNull();
  });

  test('may be told in the past when it is still to be done', () => {
    expect(next('The export is in. The migration was not run yet.')).toContain('migration');
  });
});

describe('a list of reasons', () => {
  const REASONS =
    '1. Every pull request saves its own cache, so those of `main` are evicted.\n2. The key has no `restore-keys`, so nothing matches.';

  test.each([
    [
      'Short version: ccache is fine, the *cache of the cache* is not.',
      'Ccache is fine, the cache of the cache is not',
    ],
    ['The build is slow for two reasons:', 'The build is slow for two reasons'],
  ])('after %j is one discovery', (lead, title) => {
    const { observations } = observe([
      prompt('Builds got slow. Get that researched on the side, I have no idea how caches work'),
      report('Research caches', 'A repository has 10 GB of caches. It turns out that pull requests evict main.'),
      stop(`${lead}\n\n${REASONS}\n\nShall I change the key?`),
    ]);
    expect(observations.map((one) => one.type)).toEqual(['discovery']);
    expect(observations[0]?.title).toStartWith(title);
    expect(observations[0]?.facts.map((one) => one.text).join('\n')).toContain('restore-keys');
  });

  test('is not a list of options', () => {
    const message = 'We have two options.\n\n1. Use sccache, no changes in code.\n2. Use bigger runners, not free.';
    const { observations } = observe([prompt('what about the slow build?'), read('ci.yml'), stop(message)]);
    expect(observations.map((one) => one.title).join('\n')).not.toContain('Two options');
  });
});

describe('an agreement', () => {
  const rules = (text: string) =>
    observe([prompt(text), stop('Understood.')]).observations.filter((one) => one.type === 'decision');

  test.each([
    ['yes do that, only main saves caches. And what was the red one?', 'Only main saves caches'],
    ['Go ahead, but only admins may export', 'Only admins may export'],
    ['yes please, only release builds get signed', 'Only release builds get signed'],
  ])('said again with "only" is a decision: %s', (text, title) => {
    expect(rules(text)).toMatchObject([{ title, origin: 'user' }]);
  });

  test.each(['ok, only fix the first one', 'sure, only run the unit tests', 'yes. only one of them fails on CI'])(
    'to a piece of work is none: %s',
    (text) => {
      expect(rules(text)).toEqual([]);
    },
  );
});
