// What a worker sees to for itself: that it can write, is found, owns its folder, and that its log and its clock behave.

import { dlopen, FFIType } from 'bun:ffi';
import { Database } from 'bun:sqlite';
import { isPassing } from '../core/passing-fault.ts';
import type { Facts } from '../core/shapes/worker.ts';
import type { Log } from '../log.ts';
import { RESERVED_BYTES, readRoom, sizeOf } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import type { OwnSocket } from './line-socket.ts';
import { giveBallastBack, StoreGuard, type StoreState } from './store-guard.ts';

type SelfWatchDeps = {
  db: Database;
  paths: Paths;
  log: Log;
  clock: () => number;
  /** False when the data dir was moved away: what is there now is another's. */
  isOurs: () => boolean;
  isOwner?: () => boolean;
  walAlarmBytes?: number;
  onRecovered: () => void;
  onDone: (reason: string) => void;
};

export type SelfFacts = {
  store: () => StoreState;
  sockets: () => Facts['sockets'];
  wal: Pick<WalWatch, 'bytes' | 'isTooLarge'>;
  clockWatch: Pick<ClockWatch, 'read'>;
};

const LOOK_MS = 1000;
/** A process that only asks for the lock has it for a moment. */
const LOST_LOOKS = 3;

export function createSelfWatch(deps: SelfWatchDeps) {
  const { db, paths, log, clock, isOurs, isOwner = () => true, walAlarmBytes, onRecovered, onDone } = deps;
  const onHopeless = () => onDone('the database has failed for a minute: another worker opens it afresh');
  const guard = new StoreGuard({ db, paths, log, clock, onRecovered, onHopeless });
  const wal = createWalWatch(paths.database, log, walAlarmBytes);
  const clockWatch = createClockWatch(clock);
  const sockets: { hooks?: OwnSocket; http?: OwnSocket } = {};
  let lost = 0;

  const keepSockets = () => {
    for (const socket of [sockets.hooks, sockets.http]) if (isOurs() && socket?.keep()) log.warn('a socket was gone and is there again');
  };
  /** Somebody removed the lock, and another worker has taken the one that is there now: two must not go on. */
  const watchLock = () => {
    lost = isOwner() ? 0 : lost + 1;
    if (lost === LOST_LOOKS) onDone('another worker has taken the data dir over');
  };
  const timer = setInterval(() => {
    // Not even the lock may be made again: the folder is for another worker.
    if (!isOurs()) return onDone('the database was moved away');
    // Each by itself, so that one that fails stops none.
    for (const look of [keepSockets, wal.look, clockWatch.look, watchLock]) {
      try {
        look();
      } catch (error) {
        log.warn('something could not be looked at', { error: String(error) });
      }
    }
  }, LOOK_MS);
  timer.unref();
  const areThere = () => ({ hooks: sockets.hooks?.isPresent() ?? true, http: sockets.http?.isPresent() ?? true });
  return {
    guard,
    facts: { store: guard.read, sockets: areThere, wal, clockWatch } satisfies SelfFacts,
    addReader: wal.addReader,
    keepSockets,
    hold<Socket extends OwnSocket>(name: keyof typeof sockets, socket: Socket): Socket {
      sockets[name] = socket;
      return socket;
    },
    /** A fault that passes is counted and changes nothing: it is done another time. */
    tryToWrite<T>(write: () => T): T | null {
      try {
        return write();
      } catch (error) {
        if (!isPassing(error)) throw error;
        guard.failed(error);
        return null;
      }
    },
    close: () => {
      clearInterval(timer);
      guard.close();
    },
  };
}

/** On a full disk SQLite cannot even open its log: the room for that is the ballast. */
export function makeRoomToStart({ dataDir, ballast }: Paths): void {
  if (readRoom(dataDir).bytes < RESERVED_BYTES) giveBallastBack(ballast);
}

type WalWatch = ReturnType<typeof createWalWatch>;
/** A process of ours that reads the database; `end` makes it begin anew. Returns how to say that it has ended. */
type AddReader = (end: () => unknown) => () => void;

const WAL_ALARM_BYTES = 256 * 1024 * 1024;
/** One that was ended has this long before it is ended again. */
const AGAIN_MS = 30_000;

/** The write-ahead log grows while somebody reads for long. Past a limit it is said, and our own readers begin anew. */
function createWalWatch(database: string, log: Log, alarmBytes = WAL_ALARM_BYTES) {
  const readers = new Set<() => unknown>();
  let isSaid = false;
  let endedAt = Number.NEGATIVE_INFINITY;
  const bytes = () => sizeOf(`${database}-wal`);
  const isTooLarge = () => bytes() > alarmBytes;
  const addReader: AddReader = (end) => {
    readers.add(end);
    return () => readers.delete(end);
  };
  const look = () => {
    if (!isTooLarge()) {
      isSaid = false;
      return;
    }
    if (emptyLog(database)) return;
    if (!isSaid) log.error('the write-ahead log grows: somebody reads the database for long', { bytes: bytes() });
    isSaid = true;
    if (readers.size === 0 || performance.now() - endedAt < AGAIN_MS) return;
    endedAt = performance.now();
    log.warn('our own readers start again', { readers: readers.size });
    for (const end of readers) end();
  };
  return { look, bytes, isTooLarge, addReader };
}

/** By a connection of its own, which waits for nobody: the worker's would stand still. False while somebody reads. */
function emptyLog(database: string): boolean {
  const db = new Database(database, { readwrite: true, create: false });
  try {
    db.run('PRAGMA busy_timeout = 0');
    return db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } catch {
    // Locked, full or damaged: others say that.
    return false;
  } finally {
    db.close();
  }
}

type ClockWatch = ReturnType<typeof createClockWatch>;

/** Less is a correction, or a loop that was held up. */
const JUMP_MS = 60_000;
const RECENT_MS = 3_600_000;

/** Whether the clock was set while we ran: two clocks are compared, one of which nobody can set. */
function createClockWatch(clock: () => number) {
  let [wall, tick] = [clock(), performance.now()];
  let jumps = 0;
  let back = { ms: 0, at: Number.NEGATIVE_INFINITY };
  return {
    look() {
      const [nowWall, nowTick] = [clock(), performance.now()];
      const moved = nowWall - wall - (nowTick - tick);
      [wall, tick] = [nowWall, nowTick];
      // A machine that slept looks as if its clock had gone ahead.
      if (Math.abs(moved) > JUMP_MS) jumps++;
      if (moved < -JUMP_MS) back = { ms: -moved, at: nowTick };
    },
    /** `backMs`: the furthest that it went back at once, in the last hour. */
    read: () => ({ jumps, backMs: performance.now() - back.at < RECENT_MS ? back.ms : 0 }),
  };
}

// Ends a worker that hangs on one event. The kernel does it: a loop that never ends would let no timer of ours run.

/** Runs it; if it takes longer than the limit, the process ends by SIGALRM, and the next worker knows what it was at. */
export type Watch = <T>(work: () => T) => T;

/** After so long it is no chance that a worker lives: it may try once more what others ended at. */
export const STABLE_MS = 60_000;

/** No event takes a second; a disk may stall for longer. */
const LIMIT_SECONDS = 30;
const LIBRARIES = process.platform === 'darwin' ? ['libSystem.B.dylib'] : ['libc.so.6', 'libc.so'];

/** Where there is no such clock, nothing is watched. Only for work that does not await. */
export function createWatch(limitSeconds = LIMIT_SECONDS): Watch {
  const alarm = findAlarm();
  let isSet = false;
  const unset = () => {
    isSet = false;
    alarm(0);
  };
  return (work) => {
    // Once for all that comes in one turn of the event loop: two calls of the system for each event would cost as much as reading it.
    if (!isSet) setImmediate(unset);
    if (!isSet) alarm(limitSeconds);
    isSet = true;
    return work();
  };
}

function findAlarm(): (seconds: number) => unknown {
  for (const library of LIBRARIES) {
    try {
      return dlopen(library, { alarm: { args: [FFIType.u32], returns: FFIType.u32 } }).symbols.alarm;
    } catch {
      // Another name, or none: the next one is tried.
    }
  }
  return () => undefined;
}
