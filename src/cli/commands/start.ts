// `claude-mem start`, `stop`, `restart` and `logs`, and what needs the database without a worker.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { findRefuser, pingWorker } from '../../client/api.ts';
import { startWorker } from '../../client/start-worker.ts';
import { requireWritable } from '../../client/writable.ts';
import { loadConfig } from '../../config.ts';
import { codeOf } from '../../core/passing-fault.ts';
import type { Status } from '../../core/shapes/worker.ts';
import { handOn } from '../../environment.ts';
import { readOwnFile } from '../../own-files.ts';
import { findPaths, type Paths, workerEnvironment } from '../../paths.ts';
import { type OwnerLock, tryOwn } from '../../server/owner-lock.ts';
import { isPerson } from '../ask.ts';
import { command, misuse, type Outcome } from '../command.ts';
import { readCount } from '../options.ts';
import { waitFor } from '../watch-job.ts';
import { fetchStatus, findNewestLog, isOwned, readLastError } from '../worker-state.ts';

const START_TIMEOUT_MS = 15_000;
const SERVE_TIMEOUT_MS = 3000;
const STOP_TIMEOUT_MS = 10_000;
/** So long a worker that is just starting may take to say so. */
const PATIENCE_MS = 10_000;

export const startCommand = command({
  name: 'start',
  about: 'Start the worker (hooks also start it automatically)',
  who: 'anyone',
  run: () => report(start()),
});

async function report(doing: Promise<string>): Promise<Outcome> {
  const message = await waitFor('Waiting for the worker', doing);
  const pid = await pingWorker(findPaths());
  return { answer: { running: pid !== null, pid, message }, text: () => message };
}

export async function start(): Promise<string> {
  const paths = findPaths();
  const running = await fetchStatus(paths);
  if (running) {
    const remedy = 'To hand on the settings and the login of this shell: claude-mem restart';
    return `The worker is already running (pid ${running.pid}). ${remedy}`;
  }
  requireWritable(paths);
  // One that could not work would go on saying why for a while, also when that has been put right.
  const refuser = await findRefuser(paths);
  if (refuser !== null) await endWorker(paths, refuser.pid);
  const status = await startAndWait(paths);
  return `The worker is running (pid ${status.pid}, data in ${status.dataDir}).`;
}

async function startAndWait(paths: Paths): Promise<Status> {
  // A person asks: a mark left by a start that failed must not stop this one.
  rmSync(paths.startMarker, { force: true });
  // Of a person the settings and the login of their shell count, too.
  const { variables, heldBack } = handOn(loadConfig(paths.config, {}).config, isPerson());
  if (heldBack.length > 0) console.error(`Not handed on, because only a person may, in a terminal of their own: ${heldBack.join(', ')}.`);
  startWorker(paths, { ...variables, ...workerEnvironment(paths.dataDir) });
  let deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const status = await fetchStatus(paths);
    if (status) return status;
    // The worker takes its mark away when it serves and when it gives up: soon it is clear which.
    if (!existsSync(paths.startMarker)) deadline = Math.min(deadline, performance.now() + SERVE_TIMEOUT_MS);
    await Bun.sleep(20);
  }
  throw new Error(`The worker did not start. ${readLastError(paths)}`);
}

export const stopCommand = command({
  name: 'stop',
  about: 'Stop the worker; hooks start it again, nothing is lost',
  who: 'anyone',
  run: () => report(stop()),
});

export async function stop(): Promise<string> {
  const paths = findPaths();
  const pid = await findWorker(paths);
  if (pid === null) return 'The worker is not running.';
  await endWorker(paths, pid);
  return `The worker stopped (pid ${pid}).`;
}

/** By either of its sockets, or by what it wrote down when it took the lock; null when there is none. */
async function findWorker(paths: Paths): Promise<number | null> {
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

/** Resolves once its process is gone and the data dir is free of it; a hook may have started another by then. */
export async function endWorker(paths: Paths, pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  // The lock tells, and where its file was removed, that nobody answers any more.
  const isThere = async () => {
    const isHeld = isOwned(paths) && [pid, null].includes(readOwner(paths));
    return isHeld || (await pingWorker(paths, 200)) === pid || isWorker(pid);
  };
  while (await isThere()) {
    const remedy = `See \`claude-mem logs\`; if it hangs: kill -9 ${pid}`;
    if (performance.now() > deadline) throw new Error(`The worker (pid ${pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s. ${remedy}`);
    await Bun.sleep(10);
  }
}

export const restartCommand = command({
  name: 'restart',
  about: 'Stop the worker, then start it',
  who: 'anyone',
  run: () => report(restart()),
});

export const restart = async (): Promise<string> => `${await stop()}\n${await start()}`;

/** For what needs the database for itself: the worker ends for it, and starts again if there was one. */
export async function withoutWorker<T>(paths: Paths, work: () => Promise<T>, isQuiet: boolean): Promise<T> {
  requireWritable(paths);
  const pid = await pingWorker(paths);
  if (pid !== null) await endWorker(paths, pid);
  // Held meanwhile: a worker that a hook starts now leaves the data dir alone.
  const lock = await own(paths);
  try {
    return await work();
  } finally {
    lock.release();
    // What was asked for is done: that the worker does not start says something else.
    const said = pid === null ? '' : await start();
    if (said && !isQuiet) console.log(said);
  }
}

async function own(paths: Paths): Promise<OwnerLock> {
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    const lock = tryOwn(paths.ownerLock);
    if (lock) return lock;
    const pid = await pingWorker(paths, 200);
    if (pid !== null) await endWorker(paths, pid);
    if (performance.now() > deadline)
      throw new Error('A worker holds the data dir and does not end. Its pid is in `claude-mem logs`: end it, then try again.');
    await Bun.sleep(50);
  }
}

const POLL_MS = 300;

export const logsCommand = command({
  name: 'logs',
  about: "Show the worker's log",
  options: { '-n, --lines <count>': 'How many lines (50)', '-f, --follow': 'Print new lines as they are written' },
  who: 'owner',
  examples: ['claude-mem logs -n 200', 'claude-mem logs -f'],
  async run({ lines, follow, json }) {
    if (follow && json) throw misuse('--follow has no end, and --json prints one answer. Leave one of them out.');
    const count = readCount('--lines', lines, 1) ?? 50;
    const paths = findPaths();
    let file = findNewestLog(paths);
    const text = file ? readFileSync(file, 'utf8') : '';
    const last = text.trimEnd().split('\n').slice(-count);
    const none = file ? [] : [`There is no log yet in ${paths.logs}.`];
    if (!follow) return { answer: { file, lines: text ? last : [] }, text: () => last.join('\n'), notes: none };
    if (text) console.log(last.join('\n'));
    for (let offset = Buffer.byteLength(text); follow; await Bun.sleep(POLL_MS)) {
      const newest = findNewestLog(paths);
      if (newest !== file) [file, offset] = [newest, 0];
      const more = file ? await Bun.file(file).slice(offset).bytes() : new Uint8Array();
      await Bun.write(Bun.stdout, more);
      offset += more.length;
    }
  },
});
