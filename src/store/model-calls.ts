// model_calls: what was spent on models, and the sessions that were our own observer's.
import type { Database } from 'bun:sqlite';

/** True for a session that our observer opened: nothing is captured from it. */
export function isObserverSession(db: Database, hostSessionId: string): boolean {
  return db.query('SELECT 1 FROM model_calls WHERE host_session_id = ? LIMIT 1').get(hostSessionId) !== null;
}
