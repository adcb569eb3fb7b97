// When no worker answers: keep the envelope in a file of its own and start a worker. Its own bundle, loaded on need.
import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { Envelope } from '../core/envelope.ts';
import { scrubHead } from '../core/scrub-head.ts';
import { createWorkClock } from '../core/work-clock.ts';
import { requireOwnFolders, requireRoom } from '../own-files.ts';
import { type Paths, workerEnvironment } from '../paths.ts';
import { startBun } from '../start-bun.ts';
import { endPrivate, isUnderPrivate } from './private-marks.ts';
import { scrubWithin } from './scrub-within.ts';

export { markPrivate } from './private-marks.ts';

const { O_WRONLY, O_CREAT, O_TRUNC, O_APPEND, O_NOFOLLOW } = constants;

/** Returns once the envelope is safe on disk: temp file, synced, renamed. Secrets never reach it, nor what lies under a private prompt. */
export function spool(paths: Paths, envelope: Envelope, clock = createWorkClock()): void {
  requireOwnFolders(paths);
  if (isUnderPrivate(paths, envelope)) return;
  if (envelope.event === 'new' && !envelope.private) endPrivate(paths, envelope);
  mkdirSync(paths.spool, { recursive: true, mode: 0o700 });
  requireRoom(paths.spool);
  const name = `${String(envelope.receivedAt).padStart(15, '0')}-${envelope.id}.json`;
  const temp = `${paths.spool}/.${name}.${process.pid}`;
  clock.start();
  const scrubbed = scrubEnvelope(envelope, clock.isOver);
  clock.stop();
  try {
    const file = openSync(temp, O_WRONLY | O_CREAT | O_TRUNC | (O_NOFOLLOW ?? 0), 0o600);
    try {
      writeWhole(file, Buffer.from(JSON.stringify(scrubbed)));
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temp, `${paths.spool}/${name}`);
  } catch (error) {
    rmSync(temp, { force: true });
    throw error;
  }
  syncFolder(paths.spool);
}

/** One byte more: there is room for thousands in a file that has its place on the disk already. */
export function noteLost(paths: Paths): void {
  try {
    requireOwnFolders(paths);
    const file = openSync(paths.notKept, O_WRONLY | O_CREAT | O_APPEND | (O_NOFOLLOW ?? 0), 0o600);
    try {
      writeSync(file, fstatSync(file).size === 0 ? '..' : '.');
    } finally {
      closeSync(file);
    }
  } catch {
    // Nothing at all can be written there: the next session hears why.
  }
}

function scrubEnvelope(envelope: Envelope, isOver: () => boolean): Envelope {
  const { value: payload, isIncomplete } = scrubWithin(envelope.payload, isOver);
  const scrubbed = { ...envelope, payload, ...(isIncomplete && { incomplete: true }) };
  return envelope.bad ? { ...scrubbed, bad: { ...envelope.bad, head: scrubHead(envelope.bad.head) } } : scrubbed;
}

/** A full disk shows as a short count, not as an error: insist. */
function writeWhole(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) {
    const count = writeSync(file, bytes, written);
    if (count === 0) throw new Error('the disk took no more bytes');
    written += count;
  }
}

/** Without this a power cut could forget the rename. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** A start that takes longer than this has failed: the next hook may try again. */
const START_MARKER_MS = 3000;

/** Starts a worker that outlives us, unless somebody is already starting one. */
/** Gives back what tells whether it still lives; null when another starts one. */
export function startWorker(paths: Paths, environment = workerEnvironment(paths.dataDir)): (() => boolean) | null {
  requireOwnFolders(paths);
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  if (!claimStart(paths.startMarker)) return null;
  const child = Bun.spawn(startBun(workerProgram()), {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore'],
    cwd: paths.dataDir,
    env: environment,
  });
  child.unref();
  return () => child.exitCode === null && child.signalCode === null;
}

export const isStarting = ({ startMarker }: Paths): boolean => !isOlderThan(startMarker, START_MARKER_MS);

function claimStart(marker: string): boolean {
  try {
    closeSync(openSync(marker, 'wx', 0o600));
    return true;
  } catch (error) {
    if (!isCode(error, 'EEXIST') || !isOlderThan(marker, START_MARKER_MS)) return false;
  }
  try {
    unlinkSync(marker);
    closeSync(openSync(marker, 'wx', 0o600));
    return true;
  } catch {
    // Another hook was faster: it starts the worker.
    return false;
  }
}

function isOlderThan(path: string, ageMs: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  // A mark from the future is as old as one from the past: the clock was set.
  return stat === undefined || Math.abs(Date.now() - stat.mtimeMs) > ageMs;
}

const isCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code;

/** Beside us in dist/; in the source tree when run from it. */
function workerProgram(): string {
  const built = `${import.meta.dir}/worker.js`;
  return existsSync(built) ? built : `${import.meta.dir}/../cli/worker.ts`;
}
