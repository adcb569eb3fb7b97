// Which sessions a rebuild goes through, and how far it came: the mark stands beside those of ids.
import type { Database } from 'bun:sqlite';

/** Also those of other projects in which a memory of it was made. */
const IN_PROJECT = `($projectId IS NULL OR s.project_id = $projectId
  OR EXISTS (SELECT 1 FROM observations o WHERE o.session_id = s.id AND o.project_id = $projectId))`;

export function listSessionsAfter(db: Database, projectId: number | null, after: number, limit: number): number[] {
  return db
    .query<{ id: number }, [{ projectId: number | null; after: number; limit: number }]>(
      `SELECT s.id FROM sessions s WHERE s.id > $after AND ${IN_PROJECT} ORDER BY s.id LIMIT $limit`,
    )
    .all({ projectId, after, limit })
    .map(({ id }) => id);
}

/** Turns with a record. */
export function countTurns(db: Database, projectId: number | null): number {
  return (
    db
      .query<{ n: number }, [{ projectId: number | null }]>(
        `SELECT count(*) AS n FROM turns t JOIN sessions s ON s.id = t.session_id WHERE ${IN_PROJECT}`,
      )
      .get({ projectId })?.n ?? 0
  );
}

const MARK = 'rebuild';

/** The last session that is done; 0 at the beginning. */
export const readReached = (db: Database): number =>
  db.query<{ last: number }, [string]>('SELECT last FROM id_marks WHERE name = ?').get(MARK)?.last ?? 0;

export function setReached(db: Database, last: number): void {
  db.query('INSERT INTO id_marks VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET last = excluded.last').run(MARK, last);
}
