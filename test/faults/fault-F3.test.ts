// F3: a socket that is removed or replaced under a live worker is bound again; nobody waits long for it, and commands find the worker without it.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { sessionStart } from '../support/payloads.ts';
import { reportFault } from '../support/report-fault.ts';
import { createSandbox, type Sandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let sandbox: Sandbox;
let pid: number;
beforeEach(async () => {
  sandbox = createSandbox();
  pid = await sandbox.startWorker();
});
afterEach(() => sandbox.dispose());

const isSocket = (path: string) => existsSync(path) && lstatSync(path).isSocket();
/** More than a hook may wait for a socket, with what it takes to start two processes; less than the second it waited before. */
const SOON_MS = 900;

test('a starting session is told what it is told otherwise, soon, and the socket is there again', async () => {
  const since = performance.now();
  const cwd = sandbox.project('shop');
  let [runs, silent] = [0, 0];
  // Whoever waits as long as before is never quick; on a busy machine one that does not may be slow now and then.
  await until(async () => {
    rmSync(sandbox.paths.workerSocket);
    const { stdout, ms } = await sandbox.hook('context', sessionStart(`s${++runs}`, cwd));
    await until(() => isSocket(sandbox.paths.workerSocket));
    // Told nothing at all, not even that nobody answers.
    if (stdout === '') silent++;
    return stdout.includes('no memory yet') && ms < SOON_MS;
  });
  reportFault({ fault: 'F3', runs, lost: 0, twice: 0, silent, since });
  expect(await sandbox.workerPid()).toBe(pid);
});

test('another file in the place of a socket is replaced', async () => {
  for (const path of [sandbox.paths.workerSocket, sandbox.paths.httpSocket]) {
    rmSync(path);
    writeFileSync(path, 'not a socket');
    await until(() => isSocket(path));
  }
  expect(await sandbox.workerPid()).toBe(pid);
});

test('start says that it runs, and restart works, whichever socket is gone', async () => {
  rmSync(sandbox.paths.httpSocket);
  expect((await sandbox.cli('start')).stdout).toContain(`pid ${pid}`);
  rmSync(sandbox.paths.workerSocket);
  expect((await sandbox.cli('restart')).stdout).toContain(`The worker stopped (pid ${pid}).`);
  expect(await sandbox.workerPid()).not.toBe(pid);
});

test('a worker that cannot answer at all is ended by the number it wrote down, and no hook waits for it', async () => {
  process.kill(pid, 'SIGSTOP');
  for (const path of [sandbox.paths.workerSocket, sandbox.paths.httpSocket]) rmSync(path);
  await until(async () => {
    const hook = await sandbox.hook('context', sessionStart('s', sandbox.project('shop')));
    expect(hook.code).toBe(0);
    return hook.ms < SOON_MS;
  });
  const stopping = sandbox.cli('stop');
  // It hears what it was told as soon as it can.
  await until(() => isPending(pid, 'SIGTERM'));
  process.kill(pid, 'SIGCONT');
  expect((await stopping).stdout).toContain(`The worker stopped (pid ${pid}).`);
});

/** Of a stopped process: the signal waits for it. */
function isPending(process_: number, signal: 'SIGTERM'): boolean {
  const status = Bun.spawnSync(['cat', `/proc/${process_}/status`]).stdout.toString();
  const mask = BigInt(`0x${/^ShdPnd:\s*(\w+)/m.exec(status)?.[1] ?? '0'}`);
  const bit = { SIGTERM: 15n }[signal];
  return (mask & (1n << (bit - 1n))) !== 0n;
}
