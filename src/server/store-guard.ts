// Whether the store can be written: failures counted, and a look now and then whether it is over. When the disk is full, the ballast is
// given back: files that only take place, so that what has to be said and deleted can be.
import type { Database } from 'bun:sqlite';
import { closeSync, constants, fsyncSync, ftruncateSync, openSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { codeOf, isFull, isPassing } from '../core/passing-fault.ts';
import type { Log } from '../log.ts';
import { listFolder, makeOwnFolder, RESERVED_BYTES, readRoom, requireRoom, sizeOf } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { count } from '../store/counters.ts';

export type StoreState = ReturnType<StoreGuard['read']>;

type StoreGuardDeps = {
  db: Database;
  paths: Pick<Paths, 'dataDir' | 'ballast' | 'notKept'>;
  log: Log;
  clock: () => number;
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

export class StoreGuard {
  readonly #deps: StoreGuardDeps;
  readonly #timer: Timer;
  #failedWrites = 0;
  #uncounted = 0;
  #failing: { since: number; tick: number; error: unknown } | null = null;
  #full: Error | null = null;
  #hasBallast = false;

  constructor(deps: StoreGuardDeps) {
    this.#deps = deps;
    this.#setPatience(PATIENCE_MS);
    try {
      holdPlace(deps.paths.notKept);
    } catch (error) {
      deps.log.warn('what cannot be kept will not be counted', { error: String(error) });
    }
    this.#timer = setInterval(this.#tick, TICK_MS);
    this.#timer.unref();
  }

  /** Why no event is taken just now; null when one may be tried. */
  refusal = () => this.#full;

  failed = (error: unknown) => {
    const { log, clock } = this.#deps;
    if (!isPassing(error)) return;
    this.#failedWrites++;
    this.#uncounted++;
    if (!this.#failing) log.error('the store cannot be written', { error: String(error), code: codeOf(error) });
    this.#failing = { since: this.#failing?.since ?? clock(), tick: this.#failing?.tick ?? performance.now(), error };
    if (isFull(error)) this.#runFull(error as Error);
    this.#setPatience(NO_PATIENCE_MS);
  };

  worked = () => {
    if (!this.#failing || this.#full) return;
    this.#deps.log.info('the store can be written again', { failedWrites: this.#uncounted });
    this.#failing = null;
    this.#setPatience(PATIENCE_MS);
    this.#deps.onRecovered();
  };

  read = () => ({
    failedWrites: this.#failedWrites,
    /** By the clock; null while all is well. */
    failingSince: this.#failing?.since ?? null,
    error: this.#failing ? sayError(this.#failing.error ?? this.#full) : null,
    isFull: this.#full !== null,
    hasBallast: this.#hasBallast,
    /** Events that hooks could keep nowhere and that no counter holds yet. */
    notKept: Math.max(0, sizeOf(this.#deps.paths.notKept) - 1),
  });

  close = () => clearInterval(this.#timer);

  #setPatience = (ms: number) => this.#deps.db.run(`PRAGMA busy_timeout = ${ms}`);

  #tick = () => {
    try {
      this.#lookAtDisk();
      if (!this.#full) this.#tryToWrite();
    } catch (error) {
      this.failed(error);
    }
    const isOld = this.#failing && performance.now() - this.#failing.tick > HOPELESS_MS;
    if (isOld && /IOERR|CORRUPT|NOTADB|CANTOPEN/.test(codeOf(this.#failing?.error))) this.#deps.onHopeless();
  };

  #runFull(error: Error): void {
    const { log, paths } = this.#deps;
    if (!this.#full) log.error('the disk is full: nothing new is kept', { error: error.message });
    this.#full = error;
    if (giveBallastBack(paths.ballast)) log.warn('the ballast was given back');
    this.#hasBallast = false;
  }

  /** The disk as it is now: full a little before the last byte, and over only when the ballast has its room again. */
  #lookAtDisk(): void {
    const { paths, clock } = this.#deps;
    try {
      requireRoom(paths.dataDir);
    } catch (error) {
      if (isFull(error)) this.#runFull(error as Error);
      return;
    }
    const made = this.#hasBallast ? 'made' : makeBallast(paths.ballast);
    this.#hasBallast = made === 'made';
    if (!this.#full || made === 'refused') return;
    this.#full = null;
    this.#failing ??= { since: clock(), tick: performance.now(), error: null };
  }

  /** A real write, of what is to be counted anyway. */
  #tryToWrite(): void {
    const { db, paths, clock } = this.#deps;
    const lost = readNotKept(paths.notKept, clock());
    if (!this.#failing && !lost) return;
    db.transaction(() => {
      if (this.#uncounted > 0) count(db, 'failed-write', clock(), this.#uncounted);
      if (lost > 0) count(db, 'not-kept', clock(), lost);
    }).immediate();
    this.#uncounted = 0;
    if (lost > 0) truncateSync(paths.notKept, 1);
    this.worked();
  }
}

const sayError = (error: unknown) => (error instanceof Error ? error.message : String(error ?? 'it was full'));

/** Not while hooks may still be adding to it. */
function readNotKept(path: string, now: number): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat && Math.abs(now - stat.mtimeMs) > QUIET_MS ? Math.max(0, stat.size - 1) : 0;
}

/** Several files: where a disk has no file left to give, these are some. */
const FILES = 8;
const FILE_BYTES = 512 * 1024;
/** Less than what is reserved: given back, it does not look like room for events. */
const BALLAST_BYTES = FILES * FILE_BYTES;

/** `small`: it would itself fill the disk. `refused`: there seems to be room, and the disk takes nothing; a quota does that. */
function makeBallast(folder: string): 'made' | 'small' | 'refused' {
  if (isWhole(folder)) return 'made';
  makeOwnFolder(folder);
  if (readRoom(folder).bytes < BALLAST_BYTES + 2 * RESERVED_BYTES) return 'small';
  try {
    for (let at = 0; at < FILES; at++) writeZeros(`${folder}/${at}`);
    return 'made';
  } catch {
    // Half of it is worth nothing.
    giveBallastBack(folder);
    return 'refused';
  }
}

/** True when there was some. */
export function giveBallastBack(folder: string): boolean {
  const names = listNames(folder);
  for (const name of names) rmSync(`${folder}/${name}`, { force: true });
  return names.length > 0;
}

/** A file whose first block is on the disk: a byte can be added to it when no block is left. Whatever it counts so far stays. */
function holdPlace(path: string): void {
  if (sizeOf(path) > 0) return;
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    writeSync(file, Buffer.alloc(4096));
    fsyncSync(file);
    ftruncateSync(file, 1);
  } finally {
    closeSync(file);
  }
}

const isWhole = (folder: string) => {
  const names = listNames(folder);
  return names.length === FILES && names.every((name) => sizeOf(`${folder}/${name}`) === FILE_BYTES);
};

/** Written, not only sized: a hole takes no place. */
function writeZeros(path: string): void {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0), 0o600);
  try {
    if (writeSync(file, Buffer.alloc(FILE_BYTES)) < FILE_BYTES) throw new Error('the disk took no more bytes');
  } finally {
    closeSync(file);
  }
}

const listNames = (folder: string) => listFolder(folder).filter((name) => /^\d$/.test(name));
