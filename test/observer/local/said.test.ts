// What was said, by the classes of English (and some German and Spanish) prose it is said in.
import { describe, expect, test } from 'bun:test';
import { readStatements } from '../../../src/observer/local/text/markdown.ts';
import { readTables } from '../../../src/observer/local/text/table.ts';
import type { Line } from '../../../src/observer/local/turn.ts';
import { readDecision } from '../../../src/observer/local/words/decision.ts';
import { findHeadingDecisions } from '../../../src/observer/local/words/decision-heading.ts';
import { isQuestion } from '../../../src/observer/local/words/finding.ts';
import { findNextSteps } from '../../../src/observer/local/words/next-step.ts';
import { standAlone } from '../../../src/observer/local/words/stand-alone.ts';
import { chosenRows, openRows } from '../../../src/observer/local/words/table-rows.ts';
import { findUserRules } from '../../../src/observer/local/words/user-rule.ts';

const linesOf = (text: string): Line[] =>
  readStatements(text).map((one) => ({ ...one, id: 'e1', time: 0, by: 'agent' }));
const ruleOf = (text: string): string | null => findUserRules(linesOf(text))[0]?.text ?? null;
const stepsOf = (text: string): string[] => findNextSteps(linesOf(text)).map((step) => step.text);
const isDecision = (text: string) => linesOf(text).some((line) => readDecision(line) !== null);

describe('a rule of the user is read', () => {
  test.each([
    [
      'a refusal in a later sentence',
      'now dark mode. and no CSS-in-JS please, plain CSS only',
      'no CSS-in-JS, plain CSS only',
    ],
    ['an announced rule', 'one rule before you go on: never write zstd here', 'never write zstd here'],
    ['an agreement', 'agreed: pgvector, no second database', 'pgvector, no second database'],
    ['a clause after a request', 'add a cache, but keep the public API', 'keep the public API'],
    ['"only" at the end', 'Kotlin only, no new Java files', 'Kotlin only, no new Java files'],
    ['"always" in the middle', 'revenue is always net', 'revenue is always net'],
    ['"stays"', 'minSdk stays 24', 'minSdk stays 24'],
    ['a limit', 'max 5 attempts, then dead letter', 'max 5 attempts, then dead letter'],
    ['"is fine"', 'polling is fine', 'polling is fine'],
    ['what holds for good, not for the turn', 'research only, no code. use pnpm from now on', 'use pnpm from now on'],
    ['German', 'bitte kein Redux, wir bleiben bei Stores', 'kein Redux, wir bleiben bei Stores'],
    ['German "statt"', 'nimm lieber Room statt SQLDelight', 'nimm lieber Room statt SQLDelight'],
    ['Spanish', 'los importes siempre en céntimos, nunca en float', 'los importes siempre en céntimos, nunca en float'],
    ['French', 'on garde Helm, pas de kustomize', 'on garde Helm, pas de kustomize'],
  ])('%s', (_, prompt, rule) => {
    expect(ruleOf(prompt)).toBe(rule);
  });

  test('two sentences about one thing are one rule, titled by the lasting one', () => {
    const rules = findUserRules(linesOf('Do not delete orders here! We never delete orders, that is the law.'));
    expect(rules.map((rule) => [rule.text, rule.also.length])).toEqual([
      ['We never delete orders, that is the law', 1],
    ]);
  });

  test.each([
    'research only, no code',
    'just tell me, dont change anything',
    'the container does not start any more: exec: no such file or directory',
    '80M rows, no downtime, postgres 15. make a plan first',
    'the button does nothing, no request in the network tab',
    'pull them into packages/dates and use that in both',
    'rename Hike to Tour everywhere',
    'it only happens on android 9',
  ])('not in: %s', (prompt) => {
    expect(ruleOf(prompt)).toBeNull();
  });
});

describe('a decision of the agent is read', () => {
  test.each([
    'I set the attribute in an inline script instead of in React, otherwise users would see a flash.',
    'WorkManager rather than a foreground service: Android 14 restricts those.',
    'No sidecar: the app can write to stdout itself.',
    'Retries use acks_late, since a killed worker would otherwise lose the task.',
    'Tokens live in httpOnly cookies instead of localStorage (XSS).',
    'I took the median, not the mean: two wholesale orders distort the mean.',
    'I did not use the new library: three pages are not worth it.',
    'Backoff is exponential, a fixed delay would hammer the API.',
    'Why cookies: localStorage is not available during SSR.',
    'Trade-off: slower first load, but no layout shift.',
    '[decision] keep values.yaml flat, no charts per environment',
    '📌 Decision: keep the chart, switch only the image',
    'Considered SOPS, but that needs a KMS.',
    'Ids are read as strings on purpose.',
  ])('%s', (text) => {
    expect(isDecision(text)).toBe(true);
  });

  test.each([
    'The banner lay over the Pay button, so the click was lost.',
    'Added an index, the query takes 3 ms instead of 900 ms.',
    'Changed the comparison to use >= instead of >.',
    'No errors: everything is clean.',
    'One thing left: the changelog.',
    'The worker reads from two queues.',
  ])('not in: %s', (text) => {
    expect(isDecision(text)).toBe(false);
  });

  test('a heading is one, with its items as what was rejected', () => {
    const found = findHeadingDecisions(
      linesOf('## Why polars and not the others\n- **Pandas** works but took 412 s\n- **Dask** was a dead end'),
    );
    expect(found.map((one) => one.decision.text)).toEqual(['polars rather than Pandas, Dask']);
  });

  test.each([
    ['| Topic | Choice | Why |\n|---|---|---|\n| Storage | Room | known |', ['Storage: Room']],
    ['| Option | Verdict |\n|---|---|\n| Room | chosen |\n| SQLDelight | rejected |', ['Room rather than SQLDelight']],
    ['| Option | Size |\n|---|---|\n| Room | 3 MB |', []],
  ])('a table: %j', (table, texts) => {
    expect(
      readTables(table)
        .flatMap(chosenRows)
        .map((choice) => choice.text),
    ).toEqual(texts);
  });
});

describe('next steps are read', () => {
  test.each([
    [
      'a lead-in',
      'What remains before this can ship:\n1. the template\n2. run it on staging',
      ['the template', 'run it on staging'],
    ],
    ['a duty of the user', 'You still have to do, I touched nothing live:\n- create the bucket', ['create the bucket']],
    ['a bare line above a list', 'It is in.\n\nTODO\n- a fuzz test\n- Docs', ['a fuzz test', 'Docs']],
    ['the end of a paragraph', 'All green. Still open:\n- the docs page', ['the docs page']],
    ['not what follows the list', 'Still open:\n- the docs page\n\nThe release is tagged.', ['the docs page']],
    ['emoji', '✅ cart moved\n🔜 merge guest carts', ['merge guest carts']],
    ['log lines', '10:03 chart bumped\n10:04 [todo] raise the node pool\n10:05 finished', ['raise the node pool']],
    [
      'a following sentence',
      'We should measure it. `mem` also has to go up.',
      ['We should measure it', '`mem` also has to go up'],
    ],
    [
      'an explanation is no step',
      'Left over:\n- X is deprecated; it goes away in 7',
      ['X is deprecated – it goes away in 7'],
    ],
    ['nothing', 'Pending tasks:\n- none from the user', []],
    ['an order for later', 'Run the backfill on prod after the deploy.', ['Run the backfill on prod after the deploy']],
    ['what could not be tried', 'I could not test it on a real device.', ['I could not test it on a real device']],
    [
      'the same fault elsewhere',
      'b.ts has the same bug; I did not touch it.',
      ['b.ts has the same bug – I did not touch it'],
    ],
    ['German', 'Es fehlt noch ein Test.', ['Es fehlt noch ein Test']],
    ['what works is not open', 'The cache still works. It needs Redis 6 or newer.', []],
  ])('%s', (_, text, steps) => {
    expect(stepsOf(text)).toEqual(steps);
  });

  test.each([
    ['| Part | Status |\n|---|---|\n| Tiles | done |\n| Eviction | open |', ['Eviction']],
    ['| Part | Done? | Note |\n|---|---|---|\n| Tiles | ✅ | |\n| Eviction | ❌ | no limit |', ['Eviction: no limit']],
    ['**Still open**\n\n| What | Who |\n|---|---|\n| rotate key | ops |', ['rotate key: ops']],
    ['| index | extra system |\n|---|---|\n| HNSW | no |\n| Qdrant | yes |', []],
  ])('a table: %j', (table, steps) => {
    expect(readTables(table).flatMap(openRows)).toEqual(steps);
  });
});

test.each([
  [
    'left it alone since you named two',
    'apps/mobile still has its own copy.',
    'left apps/mobile alone since you named two',
  ],
  ['It would need explicit types', '`Dask` was a dead end.', 'Dask would need explicit types'],
  ['It would need explicit types', 'So much for that.', null],
  ['Kept SQLite because it is small', 'The test is green.', 'Kept SQLite because it is small'],
])('a sentence stands alone: %j after %j', (text, before, expected) => {
  expect(standAlone(text, linesOf(before)[0])).toBe(expected);
});

test.each([
  ['show me the adrs and the last commits', false],
  ['what is in target/release now?', false],
  ['which files changed?', false],
  ['show me how the login works', true],
  ['how is /search authenticated?', true],
])('%j asks for something to remember: %p', (prompt, expected) => {
  expect(isQuestion(prompt)).toBe(expected);
});
