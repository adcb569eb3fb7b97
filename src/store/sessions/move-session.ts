// A session whose place was not known when its memories came in: they go where it turns out to have been.
import type { Database } from 'bun:sqlite';
import { getSession, type Session } from './sessions.ts';

export type SessionPlace = { projectId: number; cwd: string; root: string };

/** With all that was remembered of it. To be called inside a transaction. */
export function moveSession(db: Database, session: Session, { projectId, cwd, root }: SessionPlace): Session {
  db.query('UPDATE sessions SET project_id = ?, cwd = ?, root = ? WHERE id = ?').run(projectId, cwd, root, session.id);
  const own = '(SELECT id FROM observations WHERE session_id = ?)';
  for (const table of ['citations', 'error_marks'])
    db.query(`UPDATE OR IGNORE ${table} SET project_id = ? WHERE observation_id IN ${own}`).run(projectId, session.id);
  for (const table of ['observations', 'summaries', 'documents', 'open_steps'])
    db.query(`UPDATE ${table} SET project_id = ? WHERE session_id = ?`).run(projectId, session.id);
  return getSession(db, session.id) ?? session;
}
