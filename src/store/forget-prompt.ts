// What a private prompt takes with it when it arrives after its own turn: the events, and what was made of them.
import type { Database } from 'bun:sqlite';
import { dropAnswers } from './model-calls.ts';

/** All but the prompt's own marker. */
export function forgetPrompt(db: Database, sessionId: number, prompt: { promptId: string; exceptId: string }): void {
  const events = db
    .query<{ id: string; at: number; batchId: number | null }, [number, string, string]>(
      `DELETE FROM events WHERE session_id = ? AND prompt_id = ? AND id <> ? RETURNING id, created_at_epoch AS at,
         batch_id AS batchId`,
    )
    .all(sessionId, prompt.promptId, prompt.exceptId);
  if (events.length === 0) return;
  const dropObservations = db.query(
    `DELETE FROM observations WHERE session_id = ? AND EXISTS (SELECT 1 FROM json_each(sources) WHERE value = ?)`,
  );
  for (const { id } of events) dropObservations.run(sessionId, id);
  // A model may be looking at them, or have answered: its words rest on them, too.
  for (const batchId of new Set(events.map((event) => event.batchId))) if (batchId !== null) forgetBatch(db, batchId);
  // A summary does not name its events: whatever was summed up since the first of them may rest on it.
  const since = Math.min(...events.map(({ at }) => at));
  db.query('DELETE FROM summaries WHERE session_id = ? AND created_at_epoch >= ?').run(sessionId, since);
  db.query('UPDATE sessions SET title = NULL, subtitle = NULL WHERE id = ?').run(sessionId);
}

/** What a model made of a batch may rest on any of its events, whatever it names as its source. */
function forgetBatch(db: Database, batchId: number): void {
  dropAnswers(db, batchId);
  db.query(
    "DELETE FROM observations WHERE batch_id = $id AND batch_id IN (SELECT id FROM batches WHERE observer = 'model')",
  ).run({ id: batchId });
  db.query('UPDATE batches SET reason = NULL WHERE id = ?').run(batchId);
}
