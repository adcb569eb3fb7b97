// What stands in the place of memories, or may do so: as every reader shows it.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryKind, type MemoryRef, type ReplacedBy } from '../../core/memory.ts';
import { holdsRef, isUndone, newestAbove, refText } from '../trust/trusted.ts';

/** By id as it is written. Of several the certain, then the latest; by what may not be given nothing is replaced. */
export function readReplacedBy(db: Database, refs: MemoryRef[]): Map<string, ReplacedBy> {
  const rows = db.query<Row, [string]>(MARKS).all(JSON.stringify(refs));
  return new Map(
    rows.map(({ kind, olderId, isCertain, rowId: _, ...row }) => [
      formatRef({ kind, id: olderId }),
      { ...row, isCertain: isCertain === 1 },
    ]),
  );
}

type Row = Omit<ReplacedBy, 'isCertain'> & { kind: MemoryKind; olderId: number; isCertain: number; rowId: number };

/** The best of each comes last. */
const MARKS = `SELECT * FROM (
  SELECT m.id AS rowId, m.older_kind AS kind, m.older_id AS olderId, m.certain AS isCertain, m.why, m.words, m.created_at_epoch AS at,
    coalesce(${newestAbove('m.newer_id', 'm.newer_kind')},
      CASE WHEN ${holdsRef('m.newer_id', 'm.newer_kind')} THEN ${refText('m.newer_id', 'm.newer_kind')} END) AS id,
    (SELECT s.host_session_id FROM sessions s WHERE s.host NOT IN ('git','claude-mem') AND m.made_by <> 'user'
      AND s.id = CASE m.newer_kind WHEN 'prompt' THEN (SELECT session_id FROM prompts WHERE id = m.newer_id)
        ELSE (SELECT session_id FROM observations WHERE id = m.newer_id) END) AS session
  FROM json_each(?) AS wanted
    CROSS JOIN replacements m ON m.older_kind = json_extract(wanted.value, '$.kind')
      AND m.older_id = json_extract(wanted.value, '$.id') AND m.both_hold = 0
  WHERE NOT ${isUndone('m.newer_id', 'm.newer_kind')}) AS known WHERE id IS NOT NULL ORDER BY isCertain, at, rowId`;
