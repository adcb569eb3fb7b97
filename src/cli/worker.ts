// The worker's process: own the data dir or leave it to who does, run until idle or told to stop.
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { runChild } from '../backup/copies.ts';
import { HOW_TO_MEND, readDamage } from '../backup/damage.ts';
import { isUnreadable } from '../backup/guard.ts';
import { isServed } from '../client/api.ts';
import { closeSettings, followConfig, type LoadedConfig, loadConfig } from '../config.ts';
import type { Restored } from '../core/shapes/job.ts';
import { quoteWord } from '../core/text.ts';
import { createFileLog, type Log } from '../log.ts';
import { describeForeignFolder, makeOwnFolder, requireOwn, writeOwnFile } from '../own-files.ts';
import { findPaths, type Paths } from '../paths.ts';
import { startWorkerApp } from '../server/app.ts';
import { refuse } from '../server/hook-server.ts';
import { WORN } from '../server/housekeeping.ts';
import { listenForLines } from '../server/line-socket.ts';
import { type OwnerLock, tryOwn } from '../server/owner-lock.ts';
import { becomeBun } from '../start-bun.ts';
import { VERSION } from './version.ts';

/**
 * Resolves with the exit code, or with null when a new worker is to take its place. `echo`: of a worker in the foreground, for its log;
 * that one stays.
 */
export async function runWorker(echo?: (line: string) => void): Promise<number | null> {
  const paths = findPaths();
  const foreign = describeForeignFolder(paths.dataDir);
  if (foreign) {
    // Nothing is written there, and so nobody waits for an answer.
    console.error(foreign);
    return 1;
  }
  let lock: OwnerLock | null = null;
  let log: Log | null = null;
  try {
    openDataDir(paths, echo !== undefined);
    requireOwn(paths);
    const loaded = loadConfig(paths.config);
    log = createFileLog(paths.logs, loaded.config.logLevel, echo);
    logCrashes(log);
    lock = await becomeOwner(paths);
    if (lock) {
      writePid(paths, log);
      const reason = await serveUntilStopped(paths, loaded, { lock, log, isReplaceable: echo === undefined });
      if (reason === WORN) return null;
    } else log[echo ? 'warn' : 'debug']('another worker owns the data dir', { pid: process.pid });
    return 0;
  } catch (error) {
    // Removed while we start, or before: nobody waits there for an answer.
    if (!echo && !existsSync(paths.dataDir)) return 0;
    const reason = explainFailure(error, paths, lock !== null);
    log?.error(reason);
    if (!log || !echo) console.error(reason);
    await refuseForAWhile(paths, reason);
    return 1;
  } finally {
    rmSync(paths.startMarker, { force: true });
    // Held, and so referenced, to the very end.
    if (lock?.isHeld()) rmSync(paths.ownerPid, { force: true });
    lock?.release();
  }
}

/** Why a worker cannot work; of one that owns the data dir with what to do about a database that nobody can read. */
function explainFailure(error: unknown, paths: Paths, isOwner: boolean): string {
  const reason = error instanceof Error ? error.message : String(error);
  // Without the mark there has never been a memory here: the file is somebody else's, and the message says so.
  if (!isOwner || !isUnreadable(error) || !existsSync(paths.birthMark)) return reason;
  const { dataDir, database, birthMark } = paths;
  const aside = quoteWord(`${dataDir}/damaged`);
  // The mark goes with it: left alone, it says that a memory is lost. A folder of that name is not filled twice.
  const moveAway = `mkdir ${aside} && mv ${quoteWord(database)}* ${quoteWord(birthMark)} ${aside} && claude-mem start`;
  return `${database} is damaged: ${reason.replace(/[.]?$/, '.')} To repair it, run: ${HOW_TO_MEND}. Or begin again: ${moveAway}`;
}

/** For whoever has to end us when we do not answer. */
function writePid(paths: Paths, log: Log): void {
  try {
    writeOwnFile(paths.ownerPid, String(process.pid));
  } catch (error) {
    log.warn('our number could not be written down', { error: String(error) });
  }
}

/** Whoever starts a worker in the background makes the folder: one that was removed since is not to come back. */
function openDataDir(paths: Paths, isMade: boolean): void {
  // Every file and socket from here on is for this user alone.
  process.umask(0o077);
  if (isMade) mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
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
/** The next one tries to repair it: only those who wait already hear of it. */
const UNTRIED_MS = 1500;
/** Whether its folder is still there. */
const LOOK_MS = 1000;

/** A worker that cannot work says so: hooks spool, a starting session hears why, and no start follows the other. */
async function refuseForAWhile(paths: Paths, reason: string): Promise<void> {
  const server = listenForLines(paths.workerSocket, (line) => refuse(line, reason));
  rmSync(paths.startMarker, { force: true });
  const isUntried = readDamage(paths)?.isTried === false;
  const gone = Promise.withResolvers<void>();
  const timer = setInterval(() => existsSync(paths.dataDir) || gone.resolve(), LOOK_MS);
  await Promise.race([Bun.sleep(isUntried ? UNTRIED_MS : REFUSAL_MS), nextSignal(), gone.promise]);
  clearInterval(timer);
  server.close();
}

/** How long a starter waits for an owner that holds the lock but does not answer: it may just be ending. */
const HANDOVER_MS = 1500;

async function becomeOwner(paths: Paths): Promise<OwnerLock | null> {
  const deadline = performance.now() + HANDOVER_MS;
  for (;;) {
    const lock = tryOwn(paths.ownerLock);
    // Where the file of the lock was removed, anybody gets it; whoever answers was there before.
    if (lock && !(await isServed(paths, PING_MS))) return lock;
    lock?.release();
    wakeOwner(paths);
    if ((await isServed(paths, PING_MS)) || performance.now() > deadline) return null;
    await Bun.sleep(20);
  }
}

const PING_MS = 200;

/** One that is there and has lost its socket looks for it when something happens in its spool; and no hook waits for us any more. */
function wakeOwner(paths: Paths): void {
  try {
    makeOwnFolder(paths.spool);
    writeFileSync(`${paths.spool}/.wake`, '', { mode: 0o600 });
  } catch {
    // A full disk, another's folder, or none: it looks by itself every second.
  }
  rmSync(paths.startMarker, { force: true });
}

type Owned = { lock: OwnerLock; log: Log; isReplaceable: boolean };

async function serveUntilStopped(paths: Paths, first: LoadedConfig, { lock, log, isReplaceable }: Owned): Promise<string> {
  const done = Promise.withResolvers<string>();
  // Before anybody can know of us: whoever is told to stop while it starts ends as well as any other.
  const signalled = nextSignal();
  const problemsOf = ({ problems }: LoadedConfig) => [...[closeSettings(paths.config)].filter((one) => one !== null), ...problems];
  let problems = problemsOf(first);
  for (const problem of problems) log.warn(problem);
  const config = followConfig(paths.config, (loaded) => {
    problems = problemsOf(loaded);
    log.info('the settings have changed', { problems });
  });
  const deps = { paths, config, configProblems: () => problems, fromVariables: first.fromVariables, version: VERSION, log };
  for (let last: Restored | null = null; ; ) {
    const asked = Promise.withResolvers<{ copy: string }>();
    const worker = await startWorkerApp({
      ...{ ...deps, clock: Date.now, isOwner: lock.isHeld, onDone: done.resolve, isReplaceable },
      // Whoever asked is answered first.
      restore: { ask: (copy) => void setTimeout(() => asked.resolve({ copy }), ANSWER_MS), last },
    });
    const reason = await Promise.race([done.promise, signalled, asked.promise]);
    log.info('worker stops', { reason: typeof reason === 'string' ? reason : 'a copy is put back' });
    await worker.close();
    // Whoever told us to stop meanwhile must find nobody in our place; a turn of the loop, for a signal that has only just come.
    if (typeof reason === 'string') return (await Promise.race([signalled, Bun.sleep(0)])) ?? reason;
    last = await putBack(paths, reason.copy, log);
  }
}

const ANSWER_MS = 100;

/** While nobody has the database open, and the data dir is still ours. Whatever comes of it, the worker goes on. */
async function putBack(paths: Paths, copy: string, log: Log): Promise<Restored> {
  try {
    const report = await runChild({ kind: 'restore', paths, copy });
    log.info('a copy was put back', { copy, ...report });
    return { copy, at: Date.now(), ...report, error: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.error(`a copy could not be put back: ${reason}`);
    return { copy, at: Date.now(), forgotten: 0, keptAs: null, error: reason };
  }
}

const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of STOPPING) process.on(signal, () => resolve(signal));
  });
}

// No top-level await: with bytecode the bundle is CommonJS.
if (import.meta.main) {
  runWorker().then((code) => {
    // A signal ends us from here on, as it ends the new one until that listens.
    if (code === null) for (const signal of STOPPING) process.removeAllListeners(signal);
    // The same program in the same process: what only the old one held is given back.
    if (code === null) becomeBun(process.argv[1] ?? '');
    process.exit(code ?? 0);
  });
}
