// bad_inputs: the last inputs that could not be read, short and scrubbed.
import type { Database } from 'bun:sqlite';
import { isoTime } from '../time.ts';

const KEPT = 100;

export type NewBadInput = { id: string; command: string; reason: string; bytes: number; head: string; at: number };

/** False when it was there already. */
export function insertBadInput(db: Database, { at, ...row }: NewBadInput): boolean {
  const { changes } = db
    .query(
      `INSERT OR IGNORE INTO bad_inputs (id, command, reason, bytes, head, created_at)
       VALUES ($id, $command, $reason, $bytes, $head, $iso)`,
    )
    .run({ ...row, iso: isoTime(at) });
  db.query(
    'DELETE FROM bad_inputs WHERE rowid <= (SELECT rowid FROM bad_inputs ORDER BY rowid DESC LIMIT 1 OFFSET ?)',
  ).run(KEPT);
  return changes > 0;
}
