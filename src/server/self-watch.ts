// What a worker sees to for itself: that it can write, is found, owns its folder, and that its log and its clock behave.
import type { Database } from 'bun:sqlite';
import { isPassing } from '../core/passing-fault.ts';
import type { Log } from '../log.ts';
import { RESERVED_BYTES, readRoom } from '../own-files.ts';
import type { Paths } from '../paths.ts';
import { giveBallastBack } from './ballast.ts';
import { createClockWatch } from './clock-watch.ts';
import type { OwnSocket } from './own-socket.ts';
import { createStoreGuard } from './store-guard.ts';
import { createWalWatch } from './wal-watch.ts';

export type SelfWatchDeps = {
  db: Database;
  paths: Paths;
  log: Log;
  clock: () => number;
  /** False when the data dir was moved away: what is there now is another's. */
  isOurs: () => boolean;
  /** False when another process has the lock. */
  isOwner?: () => boolean;
  walAlarmBytes?: number;
  /** The store can be written again. */
  onRecovered: () => void;
  onDone: (reason: string) => void;
};

export type SelfWatch = ReturnType<typeof createSelfWatch>;

const LOOK_MS = 1000;
/** A process that only asks for the lock has it for a moment. */
const LOST_LOOKS = 3;

export function createSelfWatch(deps: SelfWatchDeps) {
  const { db, paths, log, clock, isOurs, isOwner = () => true, walAlarmBytes, onRecovered, onDone } = deps;
  const onHopeless = () => onDone('the database has failed for a minute: another worker opens it afresh');
  const guard = createStoreGuard({ db, paths, log, clock, onRecovered, onHopeless });
  const wal = createWalWatch(paths.database, log, walAlarmBytes);
  const clockWatch = createClockWatch(clock);
  const sockets: { hooks?: OwnSocket; http?: OwnSocket } = {};
  let lost = 0;

  const keepSockets = () => {
    for (const socket of [sockets.hooks, sockets.http])
      if (isOurs() && socket?.keep()) log.warn('a socket was gone and is there again');
  };
  /** Somebody removed the lock, and another worker has taken the one that is there now: two must not go on. */
  const watchLock = () => {
    lost = isOwner() ? 0 : lost + 1;
    if (lost === LOST_LOOKS) onDone('another worker has taken the data dir over');
  };
  /** Each by itself, so that one that fails stops none. */
  const lookAtAll = () => {
    // Not even the lock may be made again: the folder is for another worker.
    if (!isOurs()) return onDone('the database was moved away');
    for (const look of [keepSockets, wal.look, clockWatch.look, watchLock]) {
      try {
        look();
      } catch (error) {
        log.warn('something could not be looked at', { error: String(error) });
      }
    }
  };
  const timer = setInterval(lookAtAll, LOOK_MS);
  timer.unref();
  return {
    guard,
    /** For `health`. */
    facts: {
      store: guard.read,
      sockets: () => ({ hooks: sockets.hooks?.isPresent() ?? true, http: sockets.http?.isPresent() ?? true }),
      wal,
      clockWatch,
    },
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
