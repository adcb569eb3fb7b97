// Does something that needs the database for itself: the worker ends for it, and starts again if there was one.
import { pingWorker } from '../client/ping.ts';
import { requireWritable } from '../client/writable.ts';
import type { Paths } from '../paths.ts';
import { tryOwn } from '../worker/owner-lock.ts';
import { start } from './commands/start.ts';
import { endWorker } from './commands/stop.ts';

/** So long a worker that is just starting may take to say so. */
const PATIENCE_MS = 10_000;

export async function withoutWorker<T>(paths: Paths, work: () => Promise<T>, quiet: boolean): Promise<T> {
  requireWritable(paths);
  const pid = await pingWorker(paths);
  if (pid !== null) await endWorker(paths, pid);
  // Held meanwhile: a worker that a hook starts now leaves the data dir alone.
  const lock = await own(paths);
  try {
    return await work();
  } finally {
    lock.release();
    if (pid !== null) await startAgain(quiet);
  }
}

async function own(paths: Paths) {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const lock = tryOwn(paths.ownerLock);
    if (lock) return lock;
    const pid = await pingWorker(paths, 200);
    if (pid !== null) await endWorker(paths, pid);
    if (performance.now() > deadline)
      throw new Error(
        'A worker holds the data dir and does not end. Its pid is in `claude-mem logs`: end it, then try again.',
      );
    await Bun.sleep(50);
  }
}

/** What was asked for is done: that the worker does not start says something else. */
async function startAgain(quiet: boolean): Promise<void> {
  const log = console.log;
  if (quiet) console.log = () => undefined;
  try {
    await start();
  } finally {
    console.log = log;
  }
}
