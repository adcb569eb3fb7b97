// The worker may be absent or die at any moment: nothing is lost, nothing is stored twice, and the person sees nothing of it.
import { afterEach, expect, setDefaultTimeout, test } from 'bun:test';
import { expectUndisturbed } from './hook-reports.ts';
import { toolUseIds } from './mock-request.ts';
import { createSandbox, type Sandbox, TEST_TIMEOUT_MS } from './sandbox.ts';
import { expectEveryToolStoredOnce } from './tool-ledger.ts';
import { countTo } from './work-scripts.ts';

setDefaultTimeout(TEST_TIMEOUT_MS);

const STEPS = process.env.CLAUDE_MEM_TEST_FULL ? 8 : 5;

let sandbox: Sandbox;

afterEach(() => sandbox.close());

test('kill -9 between the steps of a run loses no tool and doubles none', async () => {
  let kills = 0;
  sandbox = await createSandbox(async () => {
    if (await sandbox.worker.kill()) kills += 1;
  });
  await countUndisturbed(sandbox.makeRepo('shop'));
  // On a busy machine the next one is not always there yet.
  expect(kills).toBeGreaterThanOrEqual(2);
  await expectEveryToolStoredOnce(sandbox);
});

test('kill -9 again and again while tools and hooks run loses no tool and doubles none', async () => {
  sandbox = await createSandbox();
  const repo = sandbox.makeRepo('shop');
  let kills = 0;
  let finished = false;
  const counting = countUndisturbed(repo).finally(() => {
    finished = true;
  });
  // The next one gets as far as it gets in this time.
  for (; !finished; await Bun.sleep(100)) if (await sandbox.worker.kill()) kills += 1;
  await counting;
  // On a busy machine the next one is not always there yet.
  expect(kills).toBeGreaterThanOrEqual(2);
  // The last kill may have come after the last hook: then it is the next run that brings in what waits in the spool.
  await countUndisturbed(repo);
  await expectEveryToolStoredOnce(sandbox);
});

async function countUndisturbed(repo: string): Promise<void> {
  sandbox.mock.scripts.set('count', countTo(STEPS));
  const run = await sandbox.run({ cwd: repo, turns: ['[[mock:count]] Count'] });
  expectUndisturbed(run);
  expect(toolUseIds(run.requests)).toHaveLength(2 * STEPS);
}
