// `claude-mem start`: a worker in the background, answered for before the prompt is back.
import { existsSync, rmSync } from 'node:fs';
import { findRefuser } from '../../client/ping.ts';
import { startWorker } from '../../client/spool.ts';
import { requireWritable } from '../../client/writable.ts';
import { loadConfig } from '../../config.ts';
import { handOn } from '../../environment.ts';
import { findPaths, type Paths, workerEnvironment } from '../../paths.ts';
import { readLastError } from '../last-error.ts';
import { isPerson } from '../only-person.ts';
import { fetchStatus, type WorkerStatus } from '../worker-status.ts';
import { endWorker } from './stop.ts';

const START_TIMEOUT_MS = 5000;
const SERVE_TIMEOUT_MS = 1000;

export async function start(): Promise<void> {
  const paths = findPaths();
  const running = await fetchStatus(paths);
  if (running) {
    const remedy = 'To hand on the settings and the login of this shell: claude-mem restart';
    return console.log(`The worker is already running (pid ${running.pid}). ${remedy}`);
  }
  requireWritable(paths);
  // One that could not work would go on saying why for a while, also when that has been put right.
  const refuser = await findRefuser(paths);
  if (refuser !== null) await endWorker(paths, refuser);
  const status = await startAndWait(paths);
  console.log(`The worker is running (pid ${status.pid}, data in ${status.dataDir}).`);
}

async function startAndWait(paths: Paths): Promise<WorkerStatus> {
  // A person asks: a mark left by a start that failed must not stop this one.
  rmSync(paths.startMarker, { force: true });
  // Of a person the settings and the login of their shell count, too.
  const { variables, heldBack } = handOn(loadConfig(paths.config, {}).config, isPerson());
  if (heldBack.length > 0)
    console.error(`Not handed on, because only a person may, in a terminal of their own: ${heldBack.join(', ')}.`);
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
