// The promise of the product: the next run is told what the last one did.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { until } from '../support/until.ts';
import { expectUndisturbed, startReports } from './hook-reports.ts';
import { textOf } from './mock-request.ts';
import { createSandbox, type Sandbox, type SandboxRun, TEST_TIMEOUT_MS } from './sandbox.ts';
import { fixSlugify, sayOnly } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

let sandbox: Sandbox;
let repo: string;
let first: SandboxRun;

beforeAll(async () => {
  sandbox = await createSandbox();
  repo = sandbox.makeRepo('work/shop');
  sandbox.mock.scripts.set('fix', fixSlugify(repo));
  sandbox.mock.scripts.set('look', sayOnly('I remember.'));
  // On a busy machine a worker that has yet to start may answer too late to greet.
  await sandbox.worker.start();
  first = await sandbox.run({ cwd: repo, turns: ['[[mock:fix]] Write slugify with a test and make the test pass'] });
});

afterAll(() => sandbox.close());

const look = () => sandbox.run({ cwd: repo, turns: ['[[mock:look]] Where were we?'] });

test('the first run of a project works undisturbed and greets the person', () => {
  expectUndisturbed(first);
  expect(startReports(first)).toEqual([{ source: 'startup', context: '', message: expect.stringMatching(/\w/) }]);
});

test('a run right after the first is told its summary, the fix and the files', async () => {
  expectRemembers(await look());
});

test('a run after the worker has exited is told the same', async () => {
  const lookWithoutWorker = async () => {
    await sandbox.worker.stop();
    expect(await sandbox.worker.pid()).toBeNull();
    const run = await look();
    return startReports(run)[0]?.message ? run : null;
  };
  // On a busy machine the one that starts may answer too late: the next run is told then.
  expectRemembers(await until(lookWithoutWorker, 60_000));
});

/** Read from what our hook gave, because the CLI itself tells the model about recent commits. */
function expectRemembers(run: SandboxRun): void {
  expectUndisturbed(run);
  const [start] = startReports(run);
  expect(start?.message).toMatch(/\w/);
  const context = start?.context ?? '';
  expect(textOf(run.requests[0] ?? expect.unreachable('nothing reached the model'))).toContain(context);
  expect(context).toContain('Write slugify with a test and make the test pass');
  expect(context).toContain('it replaced only the first space');
  expect(context).toContain('replaceAll');
  expect(context).toContain('Replace every space in a slug');
  expect(context).toContain('src/slug.mjs');
  expect(context).toContain('test/slug.test.mjs');
}
