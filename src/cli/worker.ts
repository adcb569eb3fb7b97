// The worker's process: own the data dir or leave it to who does, run until idle or told to stop.
import { mkdirSync, rmSync } from 'node:fs';
import { sendLine } from '../client/send.ts';
import { type LoadedConfig, loadConfig } from '../config.ts';
import { createFileLog, type Log } from '../log.ts';
import { findPaths, type Paths } from '../paths.ts';
import { startWorkerApp } from '../worker/app.ts';
import { type OwnerLock, tryOwn } from '../worker/owner-lock.ts';
import { VERSION } from './version.ts';

/** Resolves with the exit code. */
export async function runWorker(): Promise<number> {
  // Every file and socket from here on is for this user alone.
  process.umask(0o077);
  const paths = findPaths();
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  const loaded = loadConfig(paths.config);
  const log = createFileLog(paths.logs, loaded.config.logLevel);
  try {
    const lock = await becomeOwner(paths);
    if (lock) await serveUntilStopped(paths, lock, loaded, log);
    else log.debug('another worker owns the data dir', { pid: process.pid });
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.error(`the worker could not go on: ${reason}`);
    console.error(reason);
    return 1;
  } finally {
    rmSync(paths.startMarker, { force: true });
  }
}

/** How long a starter waits for an owner that holds the lock but does not answer: it may just be ending. */
const HANDOVER_MS = 1500;

async function becomeOwner(paths: Paths): Promise<OwnerLock | null> {
  const deadline = performance.now() + HANDOVER_MS;
  for (;;) {
    const lock = tryOwn(paths.ownerLock);
    if (lock) return lock;
    const answer = await sendLine(paths.workerSocket, '{"type":"ping","id":"starter"}', 200);
    if (answer.kind === 'answer' || performance.now() > deadline) return null;
    await Bun.sleep(20);
  }
}

async function serveUntilStopped(paths: Paths, lock: OwnerLock, loaded: LoadedConfig, log: Log): Promise<void> {
  let stop: (reason: string) => void = () => undefined;
  const stopped = new Promise<string>((resolve) => {
    stop = resolve;
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
  for (const problem of loaded.problems) log.warn(problem);
  const worker = await startWorkerApp({
    paths,
    config: loaded.config,
    configProblems: loaded.problems,
    version: VERSION,
    log,
    clock: Date.now,
    onIdle: () => stop('idle'),
  });
  log.info('worker stops', { reason: await stopped });
  await worker.close();
  lock.release();
}

// No top-level await: with bytecode the bundle is CommonJS.
if (import.meta.main) runWorker().then((code) => process.exit(code));
