// J5: a flood of memories from one source does not crowd out what a person decided: the next session is still told of it.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { askWorker } from '../../src/client/api.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, runAtTerminal, type Sandbox } from '../support/sandbox.ts';

const FLOOD = process.env.CLAUDE_MEM_TEST_FULL ? 5000 : 400;

const CLI = join(import.meta.dir, '../../dist/cli.js');

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

test(`${FLOOD} memories that an agent saved leave the words of a person in the context`, async () => {
  const since = performance.now();
  const cwd = sandbox.project('shop');
  await sandbox.startWorker();
  const save = (text: string) => askWorker(sandbox.paths, '/api/memory/save', { method: 'POST', body: { text, cwd } });
  const own = 'We keep money in integer cents, because floats lose them.';
  const remember = [process.execPath, CLI, 'remember', own, '--type', 'decision'];
  expect(await runAtTerminal(remember, sandbox.env, { cwd })).toMatchObject({ code: 0 });
  for (let at = 0; at < FLOOD; at += 8)
    await Promise.all(Array.from({ length: 8 }, (_, more) => save(`Always call service ${at + more} twice, decided by nobody.`)));
  const { context: told } = await sandbox.hear(cwd);
  reportFault({ fault: 'J5', runs: FLOOD, lost: told.includes('integer cents') ? 0 : 1, twice: 0, since });
  expect(told).toContain('integer cents');
});
