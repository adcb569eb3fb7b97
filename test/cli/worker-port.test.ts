// What the CLI says of the port: what it may be, when a new one counts, and why there is none.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadConfig } from '../../src/config.ts';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
});
afterEach(() => sandbox.dispose());

test.each(['80', '1023', '65536'])('it cannot be %s', async (port) => {
  const { stderr, code } = await sandbox.person('config', 'set', 'workerPort', port);
  expect([code, stderr]).toEqual([1, expect.stringContaining('a whole number from 1024 to 65535, or 0 for none')]);
  mkdirSync(sandbox.paths.dataDir, { recursive: true });
  writeFileSync(sandbox.paths.config, `{"workerPort": ${port}}`);
  const { config, problems } = loadConfig(sandbox.paths.config, {});
  expect([config.workerPort, problems.join()]).toEqual([37_777, expect.stringContaining('workerPort')]);
});

test('a running worker takes another one only after a restart, and it says so', async () => {
  const worker = serveFakeWorker(sandbox.paths, () => ({ fromVariables: [], web: { address: null, port: 37_777 } }));
  const line = 'The running worker takes it after `claude-mem restart`.';
  expect((await sandbox.person('config', 'set', 'workerPort', '40000')).stdout).toContain(line);
  expect(JSON.parse(readFileSync(sandbox.paths.config, 'utf8'))).toEqual({ workerPort: 40_000 });
  expect((await sandbox.person('config', 'unset', 'workerPort')).stdout).not.toContain('restart');
  await worker.close();
});

test('the status is about the port that the worker started with', async () => {
  await sandbox.person('config', 'set', 'workerPort', '0');
  await sandbox.startWorker();
  await sandbox.person('config', 'set', 'workerPort', '40000');
  expect((await sandbox.cli('status')).stdout).toContain('off (the worker started with workerPort 0)');
  expect((await sandbox.person('viewer')).stderr).toContain('`claude-mem status` says which');
});
