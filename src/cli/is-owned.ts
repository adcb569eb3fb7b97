// Whether a worker holds the data dir. The lock tells, not a pid: a process that has ended keeps its pid until its parent has looked.
import { existsSync } from 'node:fs';
import { requireWritable } from '../client/writable.ts';
import type { Paths } from '../paths.ts';
import { tryOwn } from '../worker/owner-lock.ts';

export function isOwned(paths: Paths): boolean {
  if (!existsSync(paths.ownerLock)) return false;
  // To ask for the lock is to write.
  requireWritable(paths);
  const lock = tryOwn(paths.ownerLock);
  lock?.release();
  return lock === null;
}
