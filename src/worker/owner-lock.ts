// One owner per data dir: a lock that the kernel frees when its holder dies, however it dies.
import { Database } from 'bun:sqlite';
import { chmodSync } from 'node:fs';

/** Keep it referenced as long as the lock is needed: a collected Database closes its file and so unlocks. */
export type OwnerLock = { db: Database; release: () => void };

export function tryOwn(path: string): OwnerLock | null {
  // Nobody may read this file by other means: closing any handle on it would drop the lock (POSIX).
  const db = new Database(path, { create: true });
  try {
    chmodSync(path, 0o600);
    db.run('PRAGMA busy_timeout = 0');
    db.run('BEGIN IMMEDIATE');
    return { db, release: () => db.close() };
  } catch (error) {
    db.close();
    if (isBusy(error)) return null;
    throw error;
  }
}

const isBusy = (error: unknown) =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
