// What `npm test` counts and when it fails, on small trees run by the real `bun test`.
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { countTests } from '../../scripts/test-report.ts';
import { makeTree } from './make-tree.ts';

const script = join(import.meta.dir, '../../scripts/run-tests.ts');
const IMPORT = "import { expect, test } from 'bun:test';\n";
const PASSES = `${IMPORT}test('passes', () => expect(1).toBe(1));`;
const FAILS = `import { describe, expect, test } from 'bun:test';
describe('a "group"', () => { test('fails', () => expect(1).toBe(2)); });`;
const FAILS_ONCE = `${IMPORT}import { existsSync, writeFileSync } from 'node:fs';
test('fails once', () => { const isAgain = existsSync('mark'); writeFileSync('mark', ''); expect(isAgain).toBe(true); });`;
const SKIPS = `${IMPORT}test.skip('skips', () => {});`;
const WHOLE = { 'test/a/a.test.ts': PASSES, 'test/faults/b.test.ts': PASSES, 'test/e2e/c.test.ts': PASSES };

const SAYS_FAULTS = `${IMPORT}const say = (said) => console.log('FAULT ' + JSON.stringify(said));
test('says', () => {
  say({ fault: 'F10', runs: 1, lost: 0, twice: 0, silent: 1, ms: 2000 });
  say({ fault: 'F2', runs: 1, lost: 0, twice: 0, silent: 0, ms: 500 });
  say({ fault: 'F2', runs: 2, lost: 1, twice: 0, silent: 0, ms: 1000 });
});`;

type Case = { tree: Record<string, string>; args?: string[]; lastLine: string; exitCode: number; says?: string };

const cases: Record<string, Case> = {
  'sums all tiers': { tree: WHOLE, lastLine: '3 passed, 0 failed', exitCode: 0 },
  'counts failures of any tier': { tree: { ...WHOLE, 'test/e2e/d.test.ts': FAILS }, lastLine: '3 passed, 1 failed', exitCode: 1 },
  'says last which failed': {
    tree: { ...WHOLE, 'test/a/d.test.ts': FAILS },
    lastLine: '3 passed, 1 failed',
    exitCode: 1,
    says: '\nfailed:\n  test/a/d.test.ts: a "group" > fails\n',
  },
  'runs again, alone, what failed, and names what passes then': {
    tree: { ...WHOLE, 'test/a/d.test.ts': FAILS_ONCE },
    lastLine: '4 passed, 0 failed',
    exitCode: 0,
    says: '\nunsteady, to be mended: failed, and passed when run again alone:\n  test/a/d.test.ts: fails once\n',
  },
  'gives tests of faults no second try': {
    tree: { ...WHOLE, 'test/faults/d.test.ts': FAILS_ONCE },
    lastLine: '3 passed, 1 failed',
    exitCode: 1,
    says: '\nfailed:\n  test/faults/d.test.ts: fails once\n',
  },
  'counts what is skipped': { tree: { ...WHOLE, 'test/a/d.test.ts': SKIPS }, lastLine: '3 passed, 0 failed, 1 skipped', exitCode: 0 },
  'puts what tests of faults say into one table': {
    tree: { ...WHOLE, 'test/faults/f.test.ts': SAYS_FAULTS },
    lastLine: '4 passed, 0 failed',
    exitCode: 0,
    says: '\n== faults\nfault  runs  lost  twice  silent   time\nF2        3     1      0       0  1.5 s\nF10       1     0      0       1  2.0 s\n',
  },
  'runs one tier': { tree: WHOLE, args: ['--tier', 'faults'], lastLine: '1 passed, 0 failed', exitCode: 0 },
  'runs every tier that is named, also those that run beside others': {
    tree: { ...WHOLE, 'test/holes/d.test.ts': PASSES },
    args: ['--tier', 'unit', '--tier', 'holes'],
    lastLine: '2 passed, 0 failed',
    exitCode: 0,
  },
  'runs the files of a filter': { tree: WHOLE, args: ['a/a', 'c.test'], lastLine: '2 passed, 0 failed', exitCode: 0 },
  'fails when no file matches': { tree: WHOLE, args: ['nowhere'], lastLine: '0 passed, 1 failed', exitCode: 1 },
  'says that a tier does not exist': {
    tree: { 'test/a/a.test.ts': PASSES, 'test/e2e/c.test.ts': PASSES },
    lastLine: '2 passed, 0 failed',
    exitCode: 0,
    says: 'there is no test/faults/',
  },
  'fails when a tier holds no test': { tree: { ...WHOLE, 'test/faults/b.test.ts': '' }, lastLine: '2 passed, 1 failed', exitCode: 1 },
  'fails when a tier is an empty folder': {
    tree: { 'test/a/a.test.ts': PASSES, 'test/e2e/c.ts': '' },
    lastLine: '1 passed, 1 failed',
    exitCode: 1,
    says: 'test/e2e/ holds no test',
  },
  'fails when a file does not load': {
    tree: { ...WHOLE, 'test/e2e/d.test.ts': "import './missing.ts';" },
    lastLine: '3 passed, 1 failed',
    exitCode: 1,
    says: 'test/e2e/d.test.ts: no result',
  },
  'fails when a test ends the run as if all were well': {
    tree: { ...WHOLE, 'test/e2e/d.test.ts': `${IMPORT}test('exits', () => process.exit(0));` },
    // The other file of its run has a result when it runs alone.
    lastLine: '3 passed, 1 failed',
    exitCode: 1,
  },
};

test.each(Object.entries(cases))('%s', async (_, { tree, args = [], lastLine, exitCode, says = '' }) => {
  using folder = makeTree(tree);
  const run = Bun.spawn([process.execPath, script, '--root', folder.path, ...args], { stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([run.stdout.text(), run.stderr.text()]);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(lastLine);
  expect(await run.exited).toBe(exitCode);
  expect(stdout + stderr).toContain(says);
});

test('a browser test that fails or times out is counted and named', () => {
  const junit = `<testsuites id="" name="" tests="3" failures="1" skipped="0" errors="1" time="8.4">
<testsuite name="a.spec.ts" tests="3" failures="1" skipped="0" errors="1">
<testcase name="waits" classname="a.spec.ts" time="0.89">
<system-out>
<![CDATA[
[[ATTACHMENT|a.png]]
]]>
</system-out>
<error message="locator.click: Timeout 300ms exceeded." type="TimeoutError">
</error>
</testcase>
<testcase name="page &gt; two" classname="a.spec.ts" time="0.017">
<failure message="expect(received).toBe(expected)" type="expect.toBe">
</failure>
</testcase>
<testcase name="passes" classname="a.spec.ts" time="0.006">
</testcase>
</testsuite>
</testsuites>`;
  expect(countTests(junit, ['test/browser/a.spec.ts'], 1)).toEqual({
    passed: 1,
    failed: 2,
    skipped: 0,
    failures: ['a.spec.ts: waits', 'a.spec.ts: page > two'],
  });
});
