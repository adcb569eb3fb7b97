// tombstones: hashes of what was forgotten, so that no channel brings it back.
import type { Database } from 'bun:sqlite';
import { isoTime } from './time.ts';

/** `agent`: one that was started under a private prompt. */
export type TombstoneKind = 'event' | 'session' | 'agent';

export function isForgotten(db: Database, kind: TombstoneKind, hash: string): boolean {
  return db.query('SELECT 1 FROM tombstones WHERE kind = ? AND hash = ?').get(kind, hash) !== null;
}

export function bury(db: Database, kind: TombstoneKind, hash: string, at: number): void {
  db.query('INSERT OR IGNORE INTO tombstones (kind, hash, created_at) VALUES (?, ?, ?)').run(kind, hash, isoTime(at));
}
