// What waits in the queue, and for how long.
import type { Database } from 'bun:sqlite';

export type QueueState = { depth: number; oldestMs: number | null; quarantined: number };

export function readQueue(db: Database, now: number): QueueState {
  const pending = db
    .query<{ n: number; oldest: number | null }, []>(
      `SELECT count(*) AS n, min(created_at_epoch) FILTER (WHERE provenance LIKE 'hook:%') AS oldest
       FROM events WHERE status = 'pending'`,
    )
    .get();
  const countOf = (where: string) =>
    db.query<{ n: number }, []>(`SELECT count(*) AS n FROM events WHERE ${where}`).get()?.n ?? 0;
  return {
    depth: (pending?.n ?? 0) + countOf("status = 'claimed' AND batch_id IS NULL"),
    oldestMs: pending?.oldest == null ? null : Math.max(0, now - pending.oldest),
    quarantined: countOf("status = 'quarantined'"),
  };
}

/** A turn that has ended is distilled within a second; one that waits so long shows that nothing moves. */
const STUCK_MS = 2 * 60_000;

export function isStuck(db: Database, now: number): boolean {
  const oldest = db
    .query<{ at: number | null }, []>(
      // By when it happened: what is read from a transcript happened long ago, and has only just arrived.
      `SELECT min(created_at_epoch) AS at FROM events
       WHERE status = 'pending' AND kind IN ('stop','end') AND provenance LIKE 'hook:%'`,
    )
    .get()?.at;
  return oldest != null && now - oldest > STUCK_MS;
}

/** What an event weighs at most once it is condensed. */
const CONDENSED_EVENT = 1200;

export type WaitingSession = {
  sessionId: number;
  hostSessionId: string;
  projectId: number;
  condensedSize: number;
  lastAt: number;
  /** One of its turns has ended: 1, else 0. */
  hasEnded: number;
  /** So has the session: 1, else 0. */
  isOver: number;
};

/** The sessions with waiting events, the longest waiting first; of one project, or of all. What it reads is all in one index. */
export function listWaitingSessions(db: Database, projectId: number | null = null): WaitingSession[] {
  const ofProject = projectId === null ? '' : 'AND s.project_id = ?';
  return db
    .query<WaitingSession, number[]>(
      `SELECT e.session_id AS sessionId, s.host_session_id AS hostSessionId, s.project_id AS projectId, sum(min(e.size, ${CONDENSED_EVENT})) AS condensedSize,
         max(e.created_at_epoch) AS lastAt, max(e.kind IN ('stop','end')) AS hasEnded,
         s.status = 'completed' AS isOver
       FROM events e JOIN sessions s ON s.id = e.session_id
       WHERE e.status = 'pending' ${ofProject} GROUP BY e.session_id ORDER BY min(e.seq)`,
    )
    .all(...(projectId === null ? [] : [projectId]));
}
