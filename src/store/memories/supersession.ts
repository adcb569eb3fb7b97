// Which observation stands in the place of which: set by a person, or found by comparing; never deletes, always to be taken back.
import type { Database } from 'bun:sqlite';
import { holds, newestAbove } from '../trust/trusted.ts';

const LONGEST_CHAIN = 1000;

/** Whether the chain above an observation comes to another one: then that one cannot come under it. */
export function isAbove(db: Database, { id, other }: { id: number; other: number }): boolean {
  const row = db
    .query(
      `WITH RECURSIVE chain(id, steps) AS (
         SELECT $id, 0
         UNION SELECT o.superseded_by, chain.steps + 1 FROM chain JOIN observations o ON o.id = chain.id
           WHERE o.superseded_by IS NOT NULL AND chain.steps < ${LONGEST_CHAIN})
       SELECT 1 FROM chain WHERE id = $other LIMIT 1`,
    )
    .get({ id, other });
  return row !== null;
}

/** A person says so. */
export function supersede(db: Database, { older, newer }: { older: number; newer: number }): void {
  db.query('UPDATE observations SET superseded_by = ?, kept = 0 WHERE id = ?').run(newer, older);
}

/** A person says that it still holds: nothing marks it again by itself. */
export function keepObservation(db: Database, id: number): void {
  db.query('UPDATE observations SET superseded_by = NULL, kept = 1 WHERE id = ?').run(id);
}

/**
 * Found by comparing. Nothing is done about what a person decided, about what is superseded already, or by what could not be told
 * itself: words from outside put nothing out of the way. True when it was marked.
 */
export function markSuperseded(db: Database, { older, newer }: { older: number; newer: number }): boolean {
  if (older === newer || isAbove(db, { id: newer, other: older })) return false;
  const { changes } = db
    .query(
      `UPDATE observations AS o SET superseded_by = $newer
       WHERE o.id = $older AND o.pinned = 0 AND o.kept = 0 AND o.hidden_at IS NULL AND ${newestAbove('o')} IS NULL
         AND EXISTS (SELECT 1 FROM observations n WHERE n.id = $newer AND ${holds('n')})`,
    )
    .run({ older, newer });
  return changes > 0;
}
