// outcomes: the word of a later turn on earlier work, and what its own turn had said before.
import type { Database } from 'bun:sqlite';
import type { OutcomeWhy } from '../core/memory.ts';
import type { Outcome } from '../core/observation.ts';
import { exists, readAll, readValue } from '../store/read.ts';
import { setOutcome } from './observations.ts';

/** Inside a transaction, as all here. */
export function changeOutcome(db: Database, id: number, outcome: Outcome, { promptId, why }: { promptId: number; why: OutcomeWhy }): void {
  const was = readValue<Outcome>(db, 'SELECT outcome FROM observations WHERE id = ?', id);
  if (!setOutcome(db, id, outcome)) return;
  db.query(
    `INSERT INTO outcomes (observation_id, prompt_id, why, was) VALUES ($id, $promptId, $why, $was)
     ON CONFLICT (observation_id) DO UPDATE SET prompt_id = $promptId, why = $why`,
  ).run({ id, promptId, why, was });
}

/** Before the turn is judged again: what it had said is taken back. */
export function dropOutcomes(db: Database, promptId: number): void {
  const sql = 'SELECT observation_id AS id, was FROM outcomes WHERE prompt_id = ?';
  for (const { id, was } of readAll<{ id: number; was: Outcome | null }>(db, sql, promptId)) setOutcome(db, id, was);
  db.query('DELETE FROM outcomes WHERE prompt_id = ?').run(promptId);
}

/** By its own turn, derived again: what a later turn or the git log said of it stands. */
export function rederiveOutcome(db: Database, id: number, outcome: Outcome | null): void {
  const { changes } = db.query('UPDATE outcomes SET was = ? WHERE observation_id = ?').run(outcome, id);
  const reverted = "SELECT 1 FROM replacements WHERE older_kind = 'observation' AND older_id = ? AND why = 'reverted' AND both_hold = 0";
  if (changes === 0 && !exists(db, reverted, id)) setOutcome(db, id, outcome);
}
