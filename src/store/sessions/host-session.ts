// The session that stands for all that came to a project in one way, whatever key the project had then.
import type { Database } from 'bun:sqlite';

/** Its id; of several, since two projects became one, the oldest. Null when there is none yet. */
export function findHostSession(db: Database, projectId: number, host: string): number | null {
  const first = 'SELECT id FROM sessions WHERE project_id = ? AND host = ? ORDER BY id LIMIT 1';
  return db.query<{ id: number }, [number, string]>(first).get(projectId, host)?.id ?? null;
}
