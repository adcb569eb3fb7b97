// tombstones: hashes of what was forgotten, so that no channel brings it back.
import type { Database } from 'bun:sqlite';

export function isForgotten(db: Database, kind: 'event' | 'session', hash: string): boolean {
  return db.query('SELECT 1 FROM tombstones WHERE kind = ? AND hash = ?').get(kind, hash) !== null;
}
