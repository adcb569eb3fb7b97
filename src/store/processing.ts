// What is still to be worked on, and of which sessions.
import type { Database } from 'bun:sqlite';
import type { Processing, StreamedSession } from '../core/stream.ts';

type Row = { session: string; n: number };

/** Events that wait, and those that were taken and have no result yet; then turns that wait for a model. */
const WORK = [
  "SELECT session_id AS id, count(*) AS n FROM events INDEXED BY events_pending WHERE status = 'pending' GROUP BY session_id",
  "SELECT session_id, count(*) FROM events WHERE status = 'claimed' AND batch_id IS NULL GROUP BY session_id",
  "SELECT session_id, count(*) FROM batches WHERE status = 'waiting' GROUP BY session_id",
].join(' UNION ALL ');

export function readProcessing(db: Database): Processing {
  const rows = db
    .query<Row, []>(
      `SELECT s.host_session_id AS session, sum(w.n) AS n FROM (${WORK}) w JOIN sessions s ON s.id = w.id GROUP BY s.id ORDER BY s.id`,
    )
    .all();
  const queueDepth = rows.reduce((sum, { n }) => sum + n, 0);
  return { isProcessing: queueDepth > 0, queueDepth, sessions: rows.map(({ session }) => session) };
}

/** Those of these events that wait to be distilled. */
export function findWaiting(db: Database, ids: string[]): Set<string> {
  const rows = db
    .query<{ id: string }, [string]>(
      `SELECT e.id FROM json_each(?) AS wanted CROSS JOIN events e ON e.id = wanted.value
       WHERE e.status IN ('pending','claimed')`,
    )
    .all(JSON.stringify(ids));
  return new Set(rows.map(({ id }) => id));
}

/** As they are told to whoever watches. What was said by hand and what git tells has no session of its own. */
export function readStreamedSessions(db: Database, ids: number[]): StreamedSession[] {
  return db
    .query<StreamedSession, [string]>(
      `SELECT s.host_session_id AS session, p.name AS project, s.status, s.title, s.updated_at_epoch AS at
       FROM json_each(?) AS wanted CROSS JOIN sessions s ON s.id = wanted.value JOIN projects p ON p.id = s.project_id
       WHERE s.host NOT IN ('claude-mem','git') ORDER BY s.id`,
    )
    .all(JSON.stringify(ids));
}
