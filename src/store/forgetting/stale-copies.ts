// That backups hold what has gone from the database for good: a new one takes their place when nobody needs the processor.
import type { Database } from 'bun:sqlite';
import { isoTime } from '../time.ts';

const NAME = 'stale-copies';

export function markCopiesStale(db: Database, at = Date.now()): void {
  db.query('INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)').run(NAME, isoTime(at));
}

export const areCopiesStale = (db: Database) => db.query('SELECT 1 FROM notices WHERE name = ?').get(NAME) !== null;

export function clearCopiesStale(db: Database): void {
  db.query('DELETE FROM notices WHERE name = ?').run(NAME);
}
