// `claude-mem stop`: asks the worker to end and waits until it has.
import { findPaths } from '../../paths.ts';
import { fetchStatus } from '../worker-status.ts';

const STOP_TIMEOUT_MS = 10_000;

export async function stop(): Promise<void> {
  const paths = findPaths();
  const status = await fetchStatus(paths);
  if (!status) return console.log('The worker is not running.');
  process.kill(status.pid, 'SIGTERM');
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (isAlive(status.pid)) {
    if (performance.now() > deadline) {
      throw new Error(
        `The worker (pid ${status.pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s. See \`claude-mem logs\`.`,
      );
    }
    await Bun.sleep(20);
  }
  console.log(`The worker stopped (pid ${status.pid}).`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // No such process: it has ended.
    return false;
  }
}
