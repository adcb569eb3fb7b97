// notices: what the user was told or asked once.
import type { Database } from 'bun:sqlite';
import { isoTime } from './time.ts';

/** True the first time. */
export function takeNotice(db: Database, name: string, at: number): boolean {
  return db.query('INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)').run(name, isoTime(at)).changes > 0;
}
