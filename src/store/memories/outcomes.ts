// The outcomes of observations: what is still open, and how one is settled later together with the hash that it is part of.
import type { Database } from 'bun:sqlite';
import type { ObservationType, Outcome } from '../../core/observation.ts';
import { hashContent, type StoredContent } from './observations.ts';

/**
 * Inside a transaction. False, and nothing changed, when it is so already, when a person edited it, or when the row is not what was
 * stored: a new hash would hide that.
 */
export function setOutcome(db: Database, id: number, outcome: Outcome): boolean {
  const row = db
    .query<StoredContent & { hash: string }, [number]>(
      `SELECT type, title, subtitle, narrative, facts, concepts, files_read AS filesRead, files_modified AS filesModified,
         outcome, hash FROM observations WHERE id = ? AND edited_at IS NULL`,
    )
    .get(id);
  if (!row || row.outcome === outcome || row.hash !== hashContent(row)) return false;
  const hash = hashContent({ ...row, outcome });
  db.query('UPDATE observations SET outcome = $outcome, hash = $hash WHERE id = $id').run({ id, outcome, hash });
  return true;
}

export type KnownOutcome = { type: ObservationType; title: string | null; outcome: Outcome | null };

/** How what was made of a batch stands by now. */
export function listOutcomes(db: Database, batchId: number): KnownOutcome[] {
  return db
    .query<KnownOutcome, [number]>('SELECT type, title, outcome FROM observations WHERE batch_id = ?')
    .all(batchId);
}
