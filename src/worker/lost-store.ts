// A memory that was there and is gone is said, never begun anew by itself.
import { existsSync, statSync } from 'node:fs';
import type { Paths } from '../paths.ts';

/** SQLite would open a missing or emptied file as a new database, and everything would seem forgotten. */
export function refuseLostStore({ database, birthMark }: Paths): void {
  const isThere = (statSync(database, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (isThere || !existsSync(birthMark)) return;
  throw new Error(`${database} is gone or empty. Restore it from a backup, or delete ${birthMark} to begin anew.`);
}
