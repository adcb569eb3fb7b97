// The write-ahead log: it grows while somebody reads for long. Past a limit it is said, and our own readers begin anew.
import { Database } from 'bun:sqlite';
import { statSync } from 'node:fs';
import type { Log } from '../log.ts';

export type WalWatch = {
  look: () => void;
  bytes: () => number;
  isTooLarge: () => boolean;
  /** A process of ours that reads the database; `end` makes it begin anew. Returns how to say that it has ended. */
  addReader: (end: () => unknown) => () => void;
};

export const WAL_ALARM_BYTES = 256 * 1024 * 1024;
/** One that was ended has this long before it is ended again. */
const AGAIN_MS = 30_000;

export function createWalWatch(database: string, log: Log, alarmBytes = WAL_ALARM_BYTES): WalWatch {
  const readers = new Set<() => unknown>();
  let isSaid = false;
  let endedAt = Number.NEGATIVE_INFINITY;
  const bytes = () => statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const isTooLarge = () => bytes() > alarmBytes;

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
    log.warn('our own readers begin anew', { readers: readers.size });
    for (const end of readers) end();
  };
  return {
    look,
    bytes,
    isTooLarge,
    addReader(end) {
      readers.add(end);
      return () => readers.delete(end);
    },
  };
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
