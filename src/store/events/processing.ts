// What is still to be worked on, and of which sessions.
import type { Database } from 'bun:sqlite';
import type { Processing, StreamedSession } from '../../core/stream.ts';

type Row = { session: string; n: number; open: number; isDue: number };

/** A turn that has ended is distilled within a second; one that goes on waits for its end. What is taken is done before anybody can ask. */
const EVENTS = `SELECT session_id AS id, count(*) AS n, max(kind IN ('stop','end')) AS isDue
  FROM events INDEXED BY events_pending WHERE status = 'pending' GROUP BY session_id`;
/** Turns that wait for a model. */
const BATCHES = `SELECT session_id, count(*), 1
  FROM batches INDEXED BY batches_waiting WHERE status = 'waiting' GROUP BY session_id`;

export function readProcessing(db: Database): Processing {
  const rows = db
    .query<Row, []>(
      `SELECT s.host_session_id AS session, sum(w.n) AS n, total(w.n) FILTER (WHERE NOT w.isDue) AS open, max(w.isDue) AS isDue
       FROM (${EVENTS} UNION ALL ${BATCHES}) w JOIN sessions s ON s.id = w.id GROUP BY s.id ORDER BY s.id`,
    )
    .all();
  const sum = (count: (row: Row) => number) => rows.reduce((all, row) => all + count(row), 0);
  return {
    isProcessing: rows.some(({ isDue }) => isDue === 1),
    queueDepth: sum(({ n }) => n),
    openTurns: sum(({ open }) => open),
    sessions: rows.map(({ session }) => session),
  };
}

/** By indexes alone: what an event says lies before its status, and may be megabytes. */
const WAITING = `SELECT e.id FROM json_each(?) AS wanted CROSS JOIN events e ON e.id = wanted.value ->> 0
  WHERE EXISTS (SELECT 1 FROM events p INDEXED BY events_pending
      WHERE p.status = 'pending' AND p.session_id = wanted.value ->> 1 AND p.seq = e.seq)
    OR EXISTS (SELECT 1 FROM events c INDEXED BY events_claimed WHERE c.status = 'claimed' AND c.seq = e.seq)`;

/** Those of these events that wait to be distilled. */
export function findWaiting(db: Database, events: { id: string; sessionId: number }[]): Set<string> {
  const wanted = JSON.stringify(events.map(({ id, sessionId }) => [id, sessionId]));
  return new Set(
    db
      .query<{ id: string }, [string]>(WAITING)
      .all(wanted)
      .map(({ id }) => id),
  );
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
