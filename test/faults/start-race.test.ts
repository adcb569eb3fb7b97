// Twenty starters at once, with and without a dead owner's remains: one owner, and every hook's event stored once.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { WORN } from '../../src/server/housekeeping.ts';
import { bash, stop, userPrompt } from '../support/payloads.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

const WORKER = join(import.meta.dir, '../../dist/worker.js');
const STARTERS = 20;
const ROUNDS = process.env.CLAUDE_MEM_TEST_FULL ? 10 : 2;

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = createSandbox();
  mkdirSync(sandbox.paths.dataDir, { mode: 0o700 });
});
afterEach(() => sandbox.dispose());

const startOne = () => Bun.spawn([process.execPath, WORKER], { env: sandbox.env, stdio: ['ignore', 'ignore', 'ignore'] });

test('of twenty workers started at once one stays, also after the owner was killed', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const workers = Array.from({ length: STARTERS }, startOne);
    const pid = await until(() => sandbox.workerPid());
    await until(() => workers.filter((worker) => worker.exitCode === null).length === 1);
    const owner = workers.find((worker) => worker.exitCode === null);
    expect(owner?.pid).toBe(pid);
    expect(workers.filter((worker) => worker !== owner).every((worker) => worker.exitCode === 0)).toBe(true);
    // Leaves a stale socket and a stale lock file for the next round.
    owner?.kill('SIGKILL');
    await owner?.exited;
  }
});

test('a worker that starts while the owner ends takes over', async () => {
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const first = startOne();
    await until(() => sandbox.workerPid());
    first.kill('SIGTERM');
    const next = startOne();
    await first.exited;
    expect(await until(() => sandbox.workerPid())).toBe(next.pid);
    next.kill('SIGTERM');
    await next.exited;
    expect([first.exitCode, next.exitCode]).toEqual([0, 0]);
  }
});

test('twenty hooks at once without a worker: one worker, every event once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const sent = Array.from({ length: STARTERS }, () => bash('s', '/home/dev/shop', 'ls', 'x'));
    const runs = await Promise.all(sent.map((payload) => sandbox.hook('save', payload)));
    expect(runs.every(({ code, stderr }) => code === 0 && stderr === '')).toBe(true);
    const count = () => sandbox.query<{ n: number }>('SELECT count(*) AS n FROM events')[0]?.n;
    await until(() => sandbox.workerPid());
    await until(() => count() === STARTERS * (round + 1));
    // A file goes once its event is stored, or known to be stored already.
    await until(() => !readdirSync(sandbox.paths.spool).some((name) => name.endsWith('.json')));
    expect(count()).toBe(STARTERS * (round + 1));
    process.kill(Number(await sandbox.workerPid()), 'SIGKILL');
  }
});

test('a worker that is stopped while it makes place for a new one is gone for good', async () => {
  const pid = await sandbox.startWorker();
  // Large answers make it large; it notices after 25 s without an event.
  await sandbox.hook('new', userPrompt('s', '/home/dev/shop', 'Count the words'));
  for (let at = 0; at < 10; at++) await sandbox.hook('save', bash('s', '/home/dev/shop', 'ls', 'word '.repeat(100_000)));
  await sandbox.hook('summary', stop('s', '/home/dev/shop', 'Counted.'));
  const isMakingPlace = () =>
    readdirSync(sandbox.paths.logs).some((name) => readFileSync(join(sandbox.paths.logs, name), 'utf8').includes(WORN));
  const { promise: isTold, resolve } = Promise.withResolvers<void>();
  // At once: it takes only milliseconds.
  const watcher = watch(sandbox.paths.logs, () => {
    if (!isMakingPlace()) return;
    watcher.close();
    resolve(void process.kill(pid, 'SIGTERM'));
  });
  await isTold;
  await until(() => !existsSync(`/proc/${pid}/exe`));
});
