// Takes back what was made of a session's transcript, so that it can be read once more: by a model, this time.
import type { Database } from 'bun:sqlite';

/**
 * False, and nothing is changed, when there is more than the transcript says: hooks delivered some of it, or a person said something
 * of what was made of it, which would come again without that. What another store brought stays, and so do the prompts: read once
 * more, each finds its row again (prompt-seats.ts).
 */
export function undoImport(db: Database, sessionId: number): boolean {
  return db
    .transaction(() => {
      if (MORE.some((sql) => db.query(sql).get(sessionId) !== null)) return false;
      for (const table of ['observations', 'summaries'])
        db.query(`DELETE FROM ${table} WHERE session_id = ?1 AND batch_id IN ${BATCHES}`).run(sessionId);
      // Whoever had named it before keeps it.
      if (!OTHERS.some((sql) => db.query(sql).get(sessionId) !== null))
        db.query('UPDATE sessions SET title = NULL, subtitle = NULL WHERE id = ?').run(sessionId);
      for (const table of ['events', 'batches']) db.query(`DELETE FROM ${table} WHERE session_id = ?`).run(sessionId);
      db.query(
        `UPDATE transcripts SET position = 0, size = 0, mtime = 0
         WHERE host_session_id = (SELECT host_session_id FROM sessions WHERE id = ?)`,
      ).run(sessionId);
      return true;
    })
    .immediate();
}

const BATCHES = '(SELECT batch_id FROM events WHERE session_id = ?1 AND batch_id IS NOT NULL)';

const MORE = [
  "SELECT 1 FROM events WHERE session_id = ? AND provenance NOT LIKE 'transcript:%' LIMIT 1",
  `SELECT 1 FROM observations WHERE session_id = ? AND (pinned = 1 OR kept = 1 OR edited_at IS NOT NULL
     OR wrong_at IS NOT NULL OR hidden_at IS NOT NULL) LIMIT 1`,
  'SELECT 1 FROM summaries WHERE session_id = ? AND hidden_at IS NOT NULL LIMIT 1',
  'SELECT 1 FROM prompts WHERE session_id = ? AND hidden_at IS NOT NULL LIMIT 1',
];

const OTHERS = ['observations', 'summaries'].map((table) => `SELECT 1 FROM ${table} WHERE session_id = ? LIMIT 1`);
