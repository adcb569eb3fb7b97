// A backup that is held in its middle: another connection has the database for itself until it is over.
import { Database } from 'bun:sqlite';
import { existsSync, readdirSync } from 'node:fs';
import { makeCopy } from '../../src/backup/copies.ts';
import type { Paths } from '../../src/paths.ts';
import { until } from './until.ts';

/** Nobody has it open. `meanwhile` is done once the copy is begun; resolves with why it was given up, or null. */
export async function holdCopy(paths: Paths, meanwhile: () => void): Promise<string | null> {
  const holder = new Database(paths.database);
  try {
    holder.run('PRAGMA locking_mode = EXCLUSIVE');
    holder.run('BEGIN IMMEDIATE');
    const ended = makeCopy(paths).then(
      () => null,
      (error) => String(error),
    );
    await until(() => existsSync(paths.backups) && readdirSync(paths.backups).some((name) => name.endsWith('.part')));
    meanwhile();
    return await ended;
  } finally {
    holder.close();
  }
}
