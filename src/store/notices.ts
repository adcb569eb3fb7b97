// notices: what the user was told or asked once.
import type { Database } from 'bun:sqlite';
import { isoTime } from './time.ts';

/** That an access is refused. */
export const refusalNotice = (access: string) => `auth:${access}`;

/** It may be told again. */
export function dropNotice(db: Database, name: string): void {
  db.query('DELETE FROM notices WHERE name = ?').run(name);
}

/** True the first time. */
export function takeNotice(db: Database, name: string, at: number): boolean {
  // Mostly it was told long ago: then nothing is written.
  if (db.query('SELECT 1 FROM notices WHERE name = ?').get(name)) return false;
  return db.query('INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)').run(name, isoTime(at)).changes > 0;
}
