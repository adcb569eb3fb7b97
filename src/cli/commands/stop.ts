// `claude-mem stop`: asks the worker to end and waits until it has.
import { existsSync, readFileSync } from 'node:fs';
import { pingWorker } from '../../client/ping.ts';
import { codeOf } from '../../core/passing-fault.ts';
import { readOwnFile } from '../../own-files.ts';
import { findPaths, type Paths } from '../../paths.ts';
import { isOwned } from '../is-owned.ts';

const STOP_TIMEOUT_MS = 10_000;

export async function stop(): Promise<void> {
  const paths = findPaths();
  const pid = await findWorker(paths);
  if (pid === null) return console.log('The worker is not running.');
  await endWorker(paths, pid);
  console.log(`The worker stopped (pid ${pid}).`);
}

/** By either of its sockets, or by what it wrote down when it took the lock; null when there is none. */
export async function findWorker(paths: Paths): Promise<number | null> {
  const answering = await pingWorker(paths);
  if (answering !== null || !isOwned(paths)) return answering;
  const written = readOwner(paths);
  if (written !== null && isWorker(written)) return written;
  throw new Error('A worker holds the data dir but does not answer. End it by its pid, which is in `claude-mem logs`.');
}

/** As it wrote down itself; null when it could not, or has just taken it away at its end. */
function readOwner({ ownerPid }: Paths): number | null {
  try {
    return Number(readOwnFile(ownerPid)) || null;
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return null;
  }
}

/** The number of a process that has died may be another's by now. */
function isWorker(pid: number): boolean {
  const file = `/proc/${pid}/cmdline`;
  const command = existsSync(file)
    ? readFileSync(file, 'utf8')
    : Bun.spawnSync(['ps', '-o', 'command=', '-p', String(pid)]).stdout.toString();
  return command.includes('worker');
}

/** Resolves once the data dir is free of it; a hook may have started another by then. */
export async function endWorker(paths: Paths, pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  // The lock tells, and where its file was removed, that nobody answers any more.
  const isThere = async () => {
    const isHeld = isOwned(paths) && [pid, null].includes(readOwner(paths));
    return isHeld || (await pingWorker(paths, 200)) === pid;
  };
  while (await isThere()) {
    if (performance.now() > deadline) {
      throw new Error(
        `The worker (pid ${pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s. See \`claude-mem logs\`; if it hangs: kill -9 ${pid}`,
      );
    }
    await Bun.sleep(10);
  }
}
