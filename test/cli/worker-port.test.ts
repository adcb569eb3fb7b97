// What the CLI says of the port: what it may be, when a new one counts, and why there is none.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askWorker } from '../../src/client/api.ts';
import { loadConfig } from '../../src/config.ts';
import { findPaths } from '../../src/paths.ts';
import { startWorkerApp } from '../../src/server/app.ts';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { createSandbox, runAtTerminal, type Sandbox } from '../support/sandbox.ts';
import { silentLog } from '../support/web-server.ts';

const CLI = join(import.meta.dir, '../../src/cli/main.ts');

let sandbox: Sandbox;
let worker: ReturnType<typeof serveFakeWorker> | null;
beforeEach(() => {
  sandbox = createSandbox();
  worker = null;
});
afterEach(async () => {
  await worker?.close();
  await sandbox.dispose();
});

const run = (...args: string[]) => runAtTerminal([process.execPath, CLI, ...args], sandbox.env);

test.each(['80', '443', '1023', '65536'])('it cannot be %s', async (port) => {
  const { stderr, code } = await run('config', 'set', 'workerPort', port);
  expect([code, stderr]).toEqual([1, expect.stringContaining('a whole number from 1024 to 65535, or 0 for none')]);
  mkdirSync(sandbox.paths.dataDir, { recursive: true });
  writeFileSync(sandbox.paths.config, `{"workerPort": ${port}}`);
  const { config, problems } = loadConfig(sandbox.paths.config, {});
  expect([config.workerPort, problems.join()]).toEqual([37_777, expect.stringContaining('workerPort')]);
});

test('a running worker takes another one only after a restart, and it says so', async () => {
  worker = serveFakeWorker(sandbox.paths, () => ({ fromVariables: [], web: { address: null, port: 37_777 } }));
  const line = 'The running worker takes it after `claude-mem restart`.';
  expect((await run('config', 'set', 'workerPort', '40000')).stdout).toContain(line);
  expect(JSON.parse(readFileSync(sandbox.paths.config, 'utf8'))).toEqual({ workerPort: 40_000 });
  expect((await run('config', 'unset', 'workerPort')).stdout).not.toContain('restart');
});

test('the status is about the port that the worker started with', async () => {
  const paths = findPaths(mkdtempSync(join(tmpdir(), 'cmem-port-')));
  writeFileSync(paths.config, '{"workerPort": 0}');
  const config = () => loadConfig(paths.config, {}).config;
  const rest = {
    configProblems: () => [],
    fromVariables: [],
    version: 'test',
    log: silentLog,
    onDone: () => undefined,
  };
  const real = await startWorkerApp({ paths, config, clock: Date.now, ...rest });
  try {
    writeFileSync(paths.config, '{"workerPort": 40000}');
    const status = await askWorker(paths, '/api/status');
    expect(status).toMatchObject({ web: { address: null, port: 0 } });
    worker = serveFakeWorker(sandbox.paths, () => status);
    expect((await run('status')).stdout).toContain('off (the worker started with workerPort 0)');
    await expect(askWorker(paths, '/api/token/link', { method: 'POST' })).rejects.toThrow('`claude-mem status` says which');
  } finally {
    await real.close();
    rmSync(paths.dataDir, { recursive: true });
  }
});
