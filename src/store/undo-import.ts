// Takes back what was made of a session's transcript, so that it can be read once more: by a model, this time.
import type { Database } from 'bun:sqlite';

/** False, and nothing is changed, when hooks delivered some of it: then it is more than what the transcript says. */
export function undoImport(db: Database, sessionId: number): boolean {
  return db
    .transaction(() => {
      if (db.query("SELECT 1 FROM events WHERE session_id = ? AND provenance NOT LIKE 'transcript:%'").get(sessionId))
        return false;
      // What a person has touched stays as it is.
      db.query(
        `DELETE FROM observations WHERE session_id = ? AND batch_id IS NOT NULL AND pinned = 0 AND kept = 0
           AND edited_at IS NULL AND wrong_at IS NULL AND hidden_at IS NULL`,
      ).run(sessionId);
      for (const table of ['summaries', 'prompts', 'events', 'batches'])
        db.query(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
      db.query(
        'UPDATE sessions SET prompt_counter = 0, first_prompt = NULL, title = NULL, subtitle = NULL WHERE id = ?',
      ).run(sessionId);
      db.query(
        `UPDATE transcripts SET position = 0, size = 0, mtime = 0
         WHERE host_session_id = (SELECT host_session_id FROM sessions WHERE id = ?)`,
      ).run(sessionId);
      return true;
    })
    .immediate();
}
