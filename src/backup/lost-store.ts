// A memory that was there and is gone is said, never begun anew by itself.
import { existsSync, statSync } from 'node:fs';
import type { Paths } from '../paths.ts';
import { HOW_TO_MEND, noteDamage } from './damage.ts';

/** Whether the database is still the one that was there at this call. While it is open, no other file has its number. */
export function rememberStore({ database }: Paths): () => boolean {
  const { ino } = statSync(database);
  return () => statSync(database, { throwIfNoEntry: false })?.ino === ino;
}

/** SQLite would open a missing or emptied file as a new database, and everything would seem forgotten. */
export function refuseLostStore(paths: Paths): void {
  const { database, birthMark } = paths;
  const isThere = (statSync(database, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (isThere || !existsSync(birthMark)) return;
  noteDamage(paths, ['it is gone or empty'], { isTried: true });
  throw new Error(
    `${database} is gone or empty. To bring back what the newest backup has, run: ${HOW_TO_MEND}. To begin anew, delete ${birthMark}.`,
  );
}
