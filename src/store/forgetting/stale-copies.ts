// That backups hold what has gone from the database for good, or may hold secrets that the rules know by now: seen to when nobody needs
// the processor.
import type { Database } from 'bun:sqlite';
import { isoTime } from '../time.ts';

/** `stale`: a new one takes their place. `unscanned`: they are looked through by the rules of now. */
export type CopiesState = 'stale' | 'unscanned';
const nameOf = (state: CopiesState) => `${state}-copies`;

export function markCopies(db: Database, state: CopiesState, at = Date.now()): void {
  db.query('INSERT OR IGNORE INTO notices (name, created_at) VALUES (?, ?)').run(nameOf(state), isoTime(at));
}

export const areCopies = (db: Database, state: CopiesState) =>
  db.query('SELECT 1 FROM notices WHERE name = ?').get(nameOf(state)) !== null;

export function clearCopies(db: Database, state: CopiesState): void {
  db.query('DELETE FROM notices WHERE name = ?').run(nameOf(state));
}
