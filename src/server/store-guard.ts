// Whether the store can be written: failures counted, the ballast given back when the disk is full, and a look now and then whether it is over.
import type { Database } from 'bun:sqlite';
import { statSync, truncateSync } from 'node:fs';
import { codeOf, isFull, isPassing } from '../core/passing-fault.ts';
import type { Log } from '../log.ts';
import { requireRoom } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { count } from '../store/counters.ts';
import { giveBallastBack, holdPlace, makeBallast } from './ballast.ts';

export type StoreGuard = {
  /** Why no event is taken just now; null when one may be tried. */
  refusal: () => Error | null;
  /** A write did not succeed. */
  failed: (error: unknown) => void;
  worked: () => void;
  read: () => StoreState;
  close: () => void;
};

export type StoreState = {
  /** Since the worker started. */
  failedWrites: number;
  /** By the clock; null while all is well. */
  failingSince: number | null;
  error: string | null;
  isFull: boolean;
  hasBallast: boolean;
  /** Events that hooks could keep nowhere and that no counter holds yet. */
  notKept: number;
};

export type StoreGuardDeps = {
  db: Database;
  paths: Pick<Paths, 'dataDir' | 'ballast' | 'notKept'>;
  log: Log;
  clock: () => number;
  /** It can be written again. */
  onRecovered: () => void;
  /** It has failed for so long that another connection may do better. */
  onHopeless: () => void;
};

const TICK_MS = 1000;
/** A hook waits 300 ms: whoever holds the database for longer makes it wait in the offline queue, not here. */
const PATIENCE_MS = 1000;
/** While it is known to be locked nobody waits for it: the loop has others to answer. */
const NO_PATIENCE_MS = 25;
const HOPELESS_MS = 60_000;
/** So long no hook has lost anything: then none is about to. */
const QUIET_MS = 5000;

export function createStoreGuard({ db, paths, log, clock, onRecovered, onHopeless }: StoreGuardDeps): StoreGuard {
  let failedWrites = 0;
  let uncounted = 0;
  let failing: { since: number; tick: number; error: unknown } | null = null;
  let full: Error | null = null;
  let hasBallast = false;

  const setPatience = (ms: number) => db.run(`PRAGMA busy_timeout = ${ms}`);

  const runFull = (error: Error) => {
    if (!full) log.error('the disk is full: nothing new is kept', { error: error.message });
    full = error;
    if (giveBallastBack(paths.ballast)) log.warn('the ballast was given back');
    hasBallast = false;
  };

  const failed = (error: unknown) => {
    if (!isPassing(error)) return;
    failedWrites++;
    uncounted++;
    if (!failing) log.error('the store cannot be written', { error: String(error), code: codeOf(error) });
    failing = { since: failing?.since ?? clock(), tick: failing?.tick ?? performance.now(), error };
    if (isFull(error)) runFull(error as Error);
    setPatience(NO_PATIENCE_MS);
  };

  const worked = () => {
    if (!failing || full) return;
    log.info('the store can be written again', { failedWrites: uncounted });
    failing = null;
    setPatience(PATIENCE_MS);
    onRecovered();
  };

  /** The disk as it is now: full a little before the last byte, and over only when the ballast has its room again. */
  const lookAtDisk = () => {
    try {
      requireRoom(paths.dataDir);
    } catch (error) {
      return isFull(error) ? runFull(error as Error) : undefined;
    }
    const made = hasBallast ? 'made' : makeBallast(paths.ballast);
    hasBallast = made === 'made';
    if (!full || made === 'refused') return;
    full = null;
    failing ??= { since: clock(), tick: performance.now(), error: null };
  };

  /** A real write, of what is to be counted anyway. */
  const tryToWrite = () => {
    const lost = readNotKept(paths.notKept, clock());
    if (!failing && !lost) return;
    db.transaction(() => {
      if (uncounted > 0) count(db, 'failed-write', clock(), uncounted);
      if (lost > 0) count(db, 'not-kept', clock(), lost);
    }).immediate();
    uncounted = 0;
    if (lost > 0) truncateSync(paths.notKept, 1);
    worked();
  };

  const tick = () => {
    try {
      lookAtDisk();
      if (!full) tryToWrite();
    } catch (error) {
      failed(error);
    }
    const isOld = failing && performance.now() - failing.tick > HOPELESS_MS;
    if (isOld && /IOERR|CORRUPT|NOTADB|CANTOPEN/.test(codeOf(failing?.error))) onHopeless();
  };

  setPatience(PATIENCE_MS);
  try {
    holdPlace(paths.notKept);
  } catch (error) {
    log.warn('what cannot be kept will not be counted', { error: String(error) });
  }
  const timer = setInterval(tick, TICK_MS);
  timer.unref();
  return {
    refusal: () => full,
    failed,
    worked,
    read: () => ({
      failedWrites,
      failingSince: failing?.since ?? null,
      error: failing ? sayError(failing.error ?? full) : null,
      isFull: full !== null,
      hasBallast,
      notKept: countNotKept(paths.notKept),
    }),
    close: () => clearInterval(timer),
  };
}

const sayError = (error: unknown) => (error instanceof Error ? error.message : String(error ?? 'it was full'));

function countNotKept(path: string): number {
  return Math.max(0, (statSync(path, { throwIfNoEntry: false })?.size ?? 1) - 1);
}

/** Not while hooks may still be adding to it. */
function readNotKept(path: string, now: number): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && Math.abs(now - stat.mtimeMs) > QUIET_MS ? Math.max(0, stat.size - 1) : 0;
}
