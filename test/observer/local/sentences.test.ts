// Which sentences state a decision, a dead end, a next step, a rule or a finding; and which only sound like it.
import { describe, expect, test } from 'bun:test';
import { readStatements } from '../../../src/observer/local/text/markdown.ts';
import type { Line } from '../../../src/observer/local/turn.ts';
import { findDeadEnds } from '../../../src/observer/local/words/dead-end.ts';
import { readDecision } from '../../../src/observer/local/words/decision.ts';
import { isFinding } from '../../../src/observer/local/words/finding.ts';
import { findNextSteps } from '../../../src/observer/local/words/next-step.ts';
import { findUserRules } from '../../../src/observer/local/words/user-rule.ts';

const linesOf = (text: string): Line[] =>
  readStatements(text).map((one) => ({ ...one, id: 'e1', time: 0, by: 'agent' }));
const isDecision = (text: string) => linesOf(text).some((line) => readDecision(line) !== null);
const isDeadEnd = (text: string) => findDeadEnds(linesOf(text)).length > 0;
const isNextStep = (text: string) => findNextSteps(linesOf(text)).length > 0;
const isRule = (text: string) => findUserRules(linesOf(text)).length > 0;
const isFound = (text: string) => linesOf(text).some(isFinding);

const CASES: [string, (text: string) => boolean, string[], string[]][] = [
  [
    'a decision',
    isDecision,
    [
      'I decided to use cursor pagination instead of offset pagination because offsets get slow beyond 100k rows.',
      'We chose SQLite over Postgres: no server to run.',
      'I went with a Map keyed by id rather than an array.',
      'Decision: keep the v1 endpoint until March.',
      'Settled on exponential backoff with jitter.',
      'I opted for a feature flag so we can roll back quickly.',
      'I used zod rather than hand-written checks since the types come for free.',
      'Kept the old column because the mobile app still reads it.',
      'We use Redis here because the lock has to be shared between instances.',
      'I picked Vitest over Jest because it understands ESM.',
      'I left the synchronous API in place so existing callers keep working.',
      'Rather than patching the parser, I replaced it with the standard library one.',
      'Instead of a cron job I used a queue with delayed jobs, which survives restarts.',
      'I deliberately did not cache the result, since prices change every minute.',
      'Timestamps are stored as integers instead of ISO strings, because SQLite compares them faster.',
      'Used a discriminated union instead of optional fields.',
      'I chose not to retry POST requests, as they are not idempotent.',
      'The approach: a single writer process; multiple writers were rejected because SQLite locks the whole file.',
      'I preferred composition to inheritance here.',
      'I’m storing amounts in cents rather than floats to avoid rounding errors.',
      'Backoff is exponential, a fixed delay would let all clients come back at once.',
    ],
    [
      'The loop used `<` instead of `<=`, so the last byte was dropped.',
      'It returned null instead of throwing.',
      'The endpoint returns 403 instead of 500 now.',
      'Tests pass.',
      'Added a test for the empty cart.',
      'The parser was reading the file twice instead of once.',
      'Parsing takes 90 ms instead of 400 ms.',
      'You can decide later which option you want.',
      'Let me know if you would rather use Redis.',
      'The tokens are compared as strings rather than numbers, which is the bug.',
      'The button is left-aligned because of the flex container.',
      'The cron job runs every hour because of the config in ops/cron.yml.',
      'All rows are kept over restarts.',
      'It now stays as long as the cart has items; all 14 cart tests pass.',
      'If we remove the list() wrapper, the constructor would consume the iterator.',
      'When the pool is empty, the next caller would wait for ever.',
    ],
  ],
  [
    'a dead end',
    isDeadEnd,
    [
      'I tried `worker_threads` first, but the native addon segfaults, so I rolled that back.',
      'Bumping the timeout did not help.',
      'My first attempt, caching the query, made no difference and I reverted it.',
      'Switching to HTTP/2 turned out not to be the problem.',
      'Using a mutex deadlocked under load, so I backed it out.',
      'The approach with triggers did not work because SQLite fires them per row.',
      'We ruled out a network problem: the same timeouts happen on localhost.',
      'Ruled out: upgrading the driver (same leak with 5.2).',
      'I also tried disabling the cache; no effect.',
      'Streaming the response turned out to be a dead end.',
      'Initially I suspected the GC, but the heap was flat.',
      'I experimented with WebAssembly, but the startup cost ate the gains.',
      'Reverted the change: it broke Safari.',
      'I attempted to upgrade to React 19, which failed because of the peer dependency of the date picker.',
      'That didn’t work either, so I undid it.',
      'Rewriting it with async iterators made it slower (2.1 s vs 1.3 s), so I dropped that.',
      'Increasing the pool size only masked the leak, so I took it out again.',
    ],
    [
      'Login didn’t work because the cookie was never set.',
      'The retry did not work because the counter was reset.',
      'Added a revert button to the editor.',
      'The migration can be rolled back with `down`.',
      'Failing test fixed.',
      'I verified that the test fails without the fix.',
      'The deploy can be reverted with one click.',
      'Using a Set makes the lookup constant time.',
      'Missing env vars now fail the build at startup.',
      'Testing is done; nothing failed.',
      'Transactions are rolled back when the handler throws.',
      'Updating the cart no longer fails when it is empty.',
      'Rendering no longer breaks when the list is empty.',
      'Parsing failed because of the BOM at the start of the file.',
    ],
  ],
  [
    'a next step',
    isNextStep,
    [
      'Next: add an index on orders.created_at.',
      'Next step is to wire the cache into the list endpoint.',
      'Still to do: the admin page.',
      'TODO: handle Windows paths.',
      'We still need to rotate the API key.',
      'Remaining: docs and the changelog.',
      'You will need to run the migration on staging.',
      'The Windows build is not covered yet.',
      'Follow-up: remove the feature flag after the release.',
      'I have not migrated the old rows yet.',
      '## Next steps\n1. Add tests\n2. Ship it',
      '**What’s left**\n- Avatar upload',
      'Next I would look at the slow product query.',
      'Left for tomorrow: the PDF export.',
      'The refund path still lacks tests.',
      'I can also add an index on `orders.customer_id` if you like.',
      '## Open questions\n- Should I drop the `legacy_orders` table after the release?',
      'Open question: do we keep the old tokens valid?',
      'Tomorrow we should look at the flaky upload test.',
      'One thing left: the CHANGELOG entry.',
      'Not done: error pages for 404 and 500.',
      'What remains is moving the images to S3.',
      'Once the API is deployed, the mobile client needs to be switched to v2.',
      'The only thing missing is the translation of the emails.',
      'The header is still a placeholder.',
      'The export stays off until you enable the flag.',
    ],
    [
      'All tests pass.',
      'Let me know if you have any questions.',
      'The next page link now works.',
      'Would you like me to commit this?',
      'Would you like me to add an index on `orders.customer_id`?',
      'I could replay yesterday’s queue against the new consumer – shall I try that?',
      'The cache was not yet warm, so the first request failed.',
      'Added a follow-up email to the signup flow.',
      'The job still runs every hour.',
      'Fixed the pending state of the button.',
      'The remaining budget is shown in the header now.',
      'Happy to help with anything else!',
      'The iterator now returns the next item.',
      'It still works with the old config.',
      'Redis keeps the sessions and Postgres the orders.',
      'Returns 201 with the created booking, or 400 if fields are missing.',
      'The form shows a placeholder in the search field.',
      'It looks simple until you dig into the parser.',
      'I’ll start by examining the core retry logic.',
    ],
  ],
  [
    'a rule of the user',
    isRule,
    [
      'No, use pnpm instead.',
      'Don’t touch the public API.',
      'never commit to main directly',
      'We decided to store dates in UTC.',
      'Let’s go with option B.',
      'always run the linter before committing',
      'name it OrderLedger',
      'Call the new table order_events.',
      'Use Postgres advisory locks instead of Redis for this.',
      'I’d rather keep the config in YAML.',
      'Please stick with the standard library.',
      'It must never block the UI thread.',
      'From now on every endpoint needs a test.',
      'keep the old endpoint for now',
      'No new dependencies please.',
      'We want plain SQL, not an ORM.',
      'ok but without adding a new dependency',
      'The limit should be 50, not 100.',
      'prices must be integers in cents',
      'Only admins may delete orders.',
      "let's not use a class for this",
      'skip Windows support for now',
      "we don't support IE anymore",
      'Store the total in cents rather than euros.',
      'The importer should skip bad rows instead of failing.',
    ],
    [
      'Fix the login bug.',
      'The page shows 0 instead of the total.',
      'I don’t understand why this fails.',
      'don’t forget to add tests',
      'Can you use the debugger?',
      'Add a test.',
      'why do we use redis instead of postgres?',
      'run the tests',
      'commit it',
      'continue',
      'It says undefined instead of my name',
      'Users don’t get the mail.',
      'the button does not work',
      'looks good',
      'add a button to the settings page',
      'yes',
      'I always get a 500 when I log in',
      'the test never finishes',
      'Since the rewrite everything is taking minutes instead of seconds',
      'the progress bar reports 100% instead of ~71%',
      'Take a look at the todo list',
      'Use the github cli to access the repo',
      'there must be something else causing these test failures',
      'This may not accurately reflect the state of the queue.',
      'I keep forgetting',
      'I was just using new Date() everywhere',
      'Redis itself is fine, it is the connection pool',
      'Do not make any further changes for this request',
    ],
  ],
  [
    'a finding',
    isFound,
    [
      'It turns out that the proxy strips the header.',
      'The root cause is a stale cache entry.',
      'I found that `EventBus.subscribe` never removes listeners.',
      'The problem is in `src/a.ts`: it reads before the write is flushed.',
    ],
    ['Added a test.', 'All tests pass.', 'Done.', 'Let me know what you think.'],
  ],
];

for (const [name, says, yes, no] of CASES) {
  describe(name, () => {
    test.each(yes)('is read from: %s', (text) => expect(says(text)).toBe(true));
    test.each(no)('is not seen in: %s', (text) => expect(says(text)).toBe(false));
  });
}

test('what is under "please remember this" is kept as it was said', () => {
  const said = `Please remember this:
Cloud Functions is no longer an option. Everything is under Cloud Run.

Now list the tickets.`;
  expect(findUserRules(linesOf(said)).map(({ text, also }) => [text, ...also.map((line) => line.text)])).toEqual([
    ['Cloud Functions is no longer an option', 'Everything is under Cloud Run.'],
  ]);
  const list = 'Remember:\n- The staging host is lemur\n- Deploys are on Tuesdays\n\nthen go on';
  expect(findUserRules(linesOf(list)).map(({ text, also }) => [text, ...also.map((line) => line.text)])).toEqual([
    ['The staging host is lemur', 'Deploys are on Tuesdays'],
  ]);
  expect(findUserRules(linesOf('Please remember this:'))).toEqual([]);
});

test('what is complete is no next step, whatever its heading says', () => {
  const text = '## In progress\n- Charts complete\n- Export of the totals\n- The import is not done';
  expect(findNextSteps(linesOf(text)).map((step) => step.text)).not.toContain('Charts complete');
});

test('one sentence that lists several next steps gives each', () => {
  const steps = findNextSteps(linesOf('Next: add an index on orders; document the endpoint.'));
  expect(steps.map((step) => step.text)).toEqual(['add an index on orders', 'document the endpoint']);
});

test('a decision names its reason and what it was chosen over', () => {
  const decision = readDecision(linesOf('I chose undici over axios because it has no dependencies.')[0] as Line);
  expect(decision).toMatchObject({ why: 'it has no dependencies', rejected: 'axios' });
});

test('a refusal and the sentence after it are one rule', () => {
  const rules = findUserRules(linesOf('No, not in the controller. Put the validation into the model.'));
  expect(rules).toHaveLength(1);
  expect(rules[0]).toMatchObject({ text: 'Put the validation into the model.', rejected: 'in the controller' });
});
