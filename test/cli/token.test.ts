// `claude-mem token`: where it is, never what it is, and a new one.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openToken } from '../../src/server/http/token.ts';
import { serveFakeWorker } from '../support/fake-worker.ts';
import { createSandbox, runAtTerminal, runProcess, type Sandbox } from '../support/sandbox.ts';
import { silentLog } from '../support/web-server.ts';

const CLI = join(import.meta.dir, '../../src/cli/main.ts');
const ADDRESS = 'http://127.0.0.1:37777';

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

const run = (...args: string[]) => runAtTerminal([process.execPath, CLI, 'token', ...args], sandbox.env);

test('says where it will be before there is a worker, and starts none', async () => {
  const { stdout, code } = await run();
  expect([stdout.split('\n')[0], code]).toEqual([sandbox.paths.token, 0]);
  expect(stdout).toContain('claude-mem start');
  expect(JSON.parse((await run('--json')).stdout)).toEqual({ path: sandbox.paths.token, exists: false, address: null });
});

test('says where it is, but not what it is', async () => {
  worker = serveFakeWorker(sandbox.paths, () => statusAt(ADDRESS));
  const token = openToken({ path: sandbox.paths.token, log: silentLog }).read();
  const { stdout, stderr } = await run();
  expect(stdout).toContain(`${sandbox.paths.token}\n`);
  expect(stdout).toContain(`${ADDRESS}/health`);
  const json = await run('--json');
  expect(JSON.parse(json.stdout)).toEqual({ path: sandbox.paths.token, exists: true, address: ADDRESS });
  expect([stdout, stderr, json.stdout].join()).not.toContain(token);
});

test('says that no worker runs, and how to start one', async () => {
  mkdirSync(sandbox.paths.dataDir);
  writeFileSync(sandbox.paths.token, `${'a'.repeat(64)}\n`, { mode: 0o600 });
  expect((await run()).stdout).toMatch(/No worker runs.*`claude-mem start`/);
});

test('the command that it names works in a shell', async () => {
  worker = serveFakeWorker(sandbox.paths, () => statusAt(ADDRESS));
  writeFileSync(sandbox.paths.token, `${'a'.repeat(64)}\n`, { mode: 0o600 });
  const line = (await run()).stdout.split('\n').find((one) => one.includes('printf')) ?? '';
  const { stdout } = await runProcess(['/bin/sh', '-c', line.replace(/\| curl.*/, '')], sandbox.env, '');
  expect(stdout).toBe(`Authorization: Bearer ${'a'.repeat(64)}`);
});

test('rotate asks the worker for a new one', async () => {
  worker = serveFakeWorker(sandbox.paths, () => ({ address: ADDRESS }));
  expect(await run('rotate')).toMatchObject({ stdout: expect.stringContaining('There is a new token'), code: 0 });
  expect(JSON.parse((await run('rotate', '--json')).stdout)).toEqual({ path: sandbox.paths.token, address: ADDRESS });
  expect(worker.asked).toMatchObject([
    { method: 'POST', path: '/api/token/rotate' },
    { method: 'POST', path: '/api/token/rotate' },
  ]);
});

test('an agent cannot rotate it', async () => {
  sandbox.env.CLAUDECODE = '1';
  worker = serveFakeWorker(sandbox.paths, () => ({ address: ADDRESS }));
  expect(await run('rotate')).toMatchObject({ stdout: '', stderr: expect.stringContaining('Only a person'), code: 1 });
  expect(worker.asked).toEqual([]);
});

/** As little of a status as the CLI takes. */
const statusAt = (address: string) => ({
  pid: 1,
  version: 'test',
  uptimeMs: 1,
  rss: 1,
  dataDir: sandbox.paths.dataDir,
  web: { address, port: 37_777 },
  observer: 'local',
  model: {
    provider: null,
    model: null,
    why: '',
    waiting: 0,
    quarantined: 0,
    pause: null,
    spentToday: { tokens: 0, calls: 0 },
    budget: { dailyTokens: 0, dailyCalls: 0, sessionTokens: 0, sessionCalls: 0 },
    problems: [],
    exhausted: null,
  },
  health: 'ok',
  isHealthy: true,
  silences: [],
  facts: {
    freeFiles: 0,
    hasBallast: true,
    failingSince: null,
    writeError: null,
    oldestMs: null,
    lastSuccessAt: null,
    freeBytes: 0,
    isFull: false,
    failedWrites: 0,
    notKept: 0,
    setAside: 0,
    sockets: { hooks: true, http: true },
    walBytes: 0,
    schema: 0,
  },
  queue: { depth: 0, oldestMs: null, quarantined: 0, spooled: 0 },
  lastSuccessAt: null,
  sessions: {},
  observations: 0,
  summaries: 0,
  sizes: { index: 0, database: 0, wal: 0, spool: 0, logs: 0 },
  index: {
    documents: 0,
    models: [],
    newestWaitingMs: null,
    isWorking: false,
    embedder: 'off',
    problem: null,
    job: null,
  },
  counters: {},
  problems: [],
  fromVariables: [],
});
