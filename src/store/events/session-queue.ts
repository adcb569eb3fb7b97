// What waits in one session, and where the session stands: for programs that tell what happens over HTTP.
import type { Database } from 'bun:sqlite';

/** Events that are still to be distilled. */
export function countSessionQueue(db: Database, sessionId: number): number {
  const row = db
    .query<{ n: number }, [number]>(
      `SELECT count(*) AS n FROM events
       WHERE session_id = ? AND (status = 'pending' OR status = 'claimed' AND batch_id IS NULL)`,
    )
    .get(sessionId);
  return row?.n ?? 0;
}

/** How far a session is, seen from one kind of event: where the last of another kind stands. */
export function lastSeqOfOthers(db: Database, sessionId: number, kind: string): number {
  const row = db
    .query<{ seq: number | null }, [number, string]>(
      'SELECT max(seq) AS seq FROM events WHERE session_id = ? AND kind <> ?',
    )
    .get(sessionId, kind);
  return row?.seq ?? 0;
}

/** The newest first. */
export const listLastEvents = (db: Database, sessionId: number, limit: number) =>
  db
    .query<{ seq: number; id: string }, [number, number]>(
      'SELECT seq, id FROM events WHERE session_id = ? ORDER BY seq DESC LIMIT ?',
    )
    .all(sessionId, limit);

/** Null for what is not there under this id: it may be known by its tool use. */
export function eventStatus(db: Database, id: string): string | null {
  return db.query<{ status: string }, [string]>('SELECT status FROM events WHERE id = ?').get(id)?.status ?? null;
}

/** Set aside before anybody looked at it. False when it was, or when there was nothing to look at. */
export function quarantineEvent(db: Database, id: string, error: string): boolean {
  return (
    db.query("UPDATE events SET status = 'quarantined', error = ? WHERE id = ? AND status = 'pending'").run(error, id)
      .changes > 0
  );
}

export function listWaitingBatchesOf(db: Database, sessionId: number): number[] {
  return db
    .query<{ id: number }, [number]>("SELECT id FROM batches WHERE session_id = ? AND status = 'waiting'")
    .all(sessionId)
    .map(({ id }) => id);
}
