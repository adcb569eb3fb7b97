// The worker's process: own the data dir or leave it to who does, run until idle or told to stop.
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { pingWorker } from '../client/ping.ts';
import { followConfig, type LoadedConfig, loadConfig } from '../config.ts';
import { createFileLog, type Log } from '../log.ts';
import { describeForeignFolder, requireOwn } from '../own-files.ts';
import { findPaths, type Paths } from '../paths.ts';
import { startWorkerApp } from '../worker/app.ts';
import { explainFailure } from '../worker/explain-failure.ts';
import { refuse } from '../worker/intake/refuse.ts';
import { listenForLines } from '../worker/intake/socket.ts';
import { type OwnerLock, tryOwn } from '../worker/owner-lock.ts';
import { VERSION } from './version.ts';

/** Resolves with the exit code. */
export async function runWorker(): Promise<number> {
  const paths = findPaths();
  const foreign = describeForeignFolder(paths.dataDir);
  if (foreign) return complain(foreign);
  let lock: OwnerLock | null = null;
  let log: Log | null = null;
  try {
    makeDataDir(paths);
    requireOwn(paths);
    const loaded = loadConfig(paths.config);
    log = createFileLog(paths.logs, loaded.config.logLevel);
    logCrashes(log);
    lock = await becomeOwner(paths);
    if (lock) await serveUntilStopped(paths, loaded, log);
    else log.debug('another worker owns the data dir', { pid: process.pid });
    return 0;
  } catch (error) {
    const reason = lock ? explainFailure(error, paths) : error instanceof Error ? error.message : String(error);
    log?.error(reason);
    console.error(reason);
    await refuseForAWhile(paths, reason);
    return 1;
  } finally {
    rmSync(paths.startMarker, { force: true });
    // Held, and so referenced, to the very end.
    lock?.release();
  }
}

/** Nothing is written there, and so nobody waits for an answer. */
function complain(reason: string): number {
  console.error(reason);
  return 1;
}

function makeDataDir(paths: Paths): void {
  // Every file and socket from here on is for this user alone.
  process.umask(0o077);
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  chmodSync(paths.dataDir, 0o700);
}

/** What nobody foresaw ends the process, but not silently; a hook starts the next one. */
function logCrashes(log: Log): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      log.error(`the worker broke: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
      process.exit(1);
    });
  }
}

/** After this the next hook may try again: the reason may be gone. */
const REFUSAL_MS = 20_000;

/** A worker that cannot work says so: hooks spool, a starting session hears why, and no start follows the other. */
async function refuseForAWhile(paths: Paths, reason: string): Promise<void> {
  const server = listenForLines(paths.workerSocket, (line) => refuse(line, reason));
  rmSync(paths.startMarker, { force: true });
  await Promise.race([Bun.sleep(REFUSAL_MS), nextSignal()]);
  server.close();
}

/** How long a starter waits for an owner that holds the lock but does not answer: it may just be ending. */
const HANDOVER_MS = 1500;

async function becomeOwner(paths: Paths): Promise<OwnerLock | null> {
  const deadline = performance.now() + HANDOVER_MS;
  for (;;) {
    const lock = tryOwn(paths.ownerLock);
    if (lock) return lock;
    if ((await pingWorker(paths, 200)) !== null || performance.now() > deadline) return null;
    await Bun.sleep(20);
  }
}

async function serveUntilStopped(paths: Paths, first: LoadedConfig, log: Log): Promise<void> {
  const done = Promise.withResolvers<string>();
  let { problems } = first;
  for (const problem of problems) log.warn(problem);
  const config = followConfig(paths.config, (loaded) => {
    problems = loaded.problems;
    log.info('the settings have changed', { problems });
  });
  const worker = await startWorkerApp({
    paths,
    config,
    configProblems: () => problems,
    fromVariables: first.fromVariables,
    version: VERSION,
    log,
    clock: Date.now,
    onDone: done.resolve,
  });
  log.info('worker stops', { reason: await Promise.race([done.promise, nextSignal()]) });
  await worker.close();
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve(signal));
  });
}

// No top-level await: with bytecode the bundle is CommonJS.
if (import.meta.main) runWorker().then((code) => process.exit(code));
