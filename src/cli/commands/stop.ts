// `claude-mem stop`: asks the worker to end and waits until it has.
import { pingWorker } from '../../client/ping.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { isOwned } from '../is-owned.ts';

const STOP_TIMEOUT_MS = 10_000;

export async function stop(): Promise<void> {
  const paths = findPaths();
  const pid = await pingWorker(paths);
  if (pid === null && isOwned(paths)) {
    throw new Error(
      'A worker holds the data dir but does not answer. End it by its pid, which is in `claude-mem logs`.',
    );
  }
  if (pid === null) return console.log('The worker is not running.');
  await endWorker(paths, pid);
  console.log(`The worker stopped (pid ${pid}).`);
}

/** Resolves once the data dir is free. */
export async function endWorker(paths: Paths, pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (isOwned(paths)) {
    if (performance.now() > deadline) {
      throw new Error(
        `The worker (pid ${pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s. See \`claude-mem logs\`.`,
      );
    }
    await Bun.sleep(10);
  }
}
