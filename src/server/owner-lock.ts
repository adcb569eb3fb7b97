// One owner per data dir: a lock that the kernel frees when its holder dies, however it dies.
import { Database } from 'bun:sqlite';
import { chmodSync, statSync } from 'node:fs';
import { codeOf } from '../core/passing-fault.ts';

/** Keep it referenced as long as the lock is needed: a collected Database closes its file and so unlocks. */
export type OwnerLock = NonNullable<ReturnType<typeof tryOwn>>;

export function tryOwn(path: string) {
  const first = lockFile(path);
  if (!first) return null;
  let held = [first];
  let { ino } = statSync(path);
  return {
    /** False when the file was removed and another process has the one that is there now. One that is only gone is made and taken again. */
    isHeld() {
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) return true;
      const next = lockFile(path);
      if (!next) return false;
      // The old one, too: somebody may still wait for that.
      held = [...held, next];
      ino = statSync(path).ino;
      return true;
    },
    release: () => {
      for (const db of held) db.close();
    },
  };
}

function lockFile(path: string): Database | null {
  // Nobody may read this file by other means: closing any handle on it would drop the lock (POSIX).
  const db = new Database(path, { create: true });
  try {
    chmodSync(path, 0o600);
    db.run('PRAGMA busy_timeout = 0');
    // Nothing is written by it: a full disk keeps nobody from the lock.
    db.run('PRAGMA journal_mode = MEMORY');
    db.run('BEGIN IMMEDIATE');
    return db;
  } catch (error) {
    db.close();
    if (codeOf(error).startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
}
