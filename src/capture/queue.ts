// The queue of events: claimed turn by turn, finished, returned or set aside; what waits, of whom, and for how long.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import type { Processing, StreamedSession } from '../core/shapes/stream.ts';
import { exists, readAll, readColumn, readFirst, readValue } from '../store/read.ts';

/** A turn that the observer broke on this often is set aside. */
const MAX_ATTEMPTS = 5;
/** One that took the worker down this often is, too, so that no worker after it dies of the same. */
const MOST_DEATHS = 2;

export type QueuedEvent = { seq: number; promptNumber: number; event: SessionEvent };

/**
 * The next turn of a session: its waiting events in the order of arrival, up to the first that ends a turn, and what came late
 * for it. Never by the clock, which may be set. Marks them as claimed, so that a crash while they are processed is counted.
 */
export function claimTurn(db: Database, sessionId: number): QueuedEvent[] {
  return db
    .transaction(() => {
      const turn = peekTurn(db, sessionId);
      const claim = db.query("UPDATE events SET status = 'claimed', attempts = attempts + 1 WHERE seq = ?");
      for (const { seq } of turn) claim.run(seq);
      return turn;
    })
    .immediate();
}

/** The same without a mark: for whoever knows that nobody else looks at this session. */
export function peekTurn(db: Database, sessionId: number): QueuedEvent[] {
  const end = findTurnEnd(db, sessionId);
  const last = end ? endOfFirst(db, sessionId, end) : { seq: Number.MAX_SAFE_INTEGER, ...NO_END };
  return readQueued(
    db,
    `session_id = $sessionId AND status = 'pending'
       -- The next prompt may have come before a stop that was late: it begins another turn.
       AND (seq <= $seq AND prompt_number <= $promptNumber OR (prompt_id = $promptId AND kind IN ('tool','said','subagent')))
     ORDER BY kind IN ('stop','end'), seq LIMIT ${end ? partOf(db, sessionId) : MAX_OPEN_PART}`,
    { sessionId, ...last },
  );
}

const NO_END = { promptId: null, promptNumber: Number.MAX_SAFE_INTEGER };

/** A turn without an end was interrupted: what was asked next is a turn of its own. */
function endOfFirst(db: Database, sessionId: number, end: TurnEnd): TurnEnd {
  const waiting = "SELECT min(prompt_number) FROM events WHERE session_id = ? AND status = 'pending' AND seq <= ?";
  const first = readValue<number>(db, waiting, sessionId, end.seq) ?? end.promptNumber;
  return first < end.promptNumber ? { ...end, promptId: null, promptNumber: first } : end;
}

/** A longer turn is processed in parts. */
const MAX_TURN = 1000;
/** So much of one that is longer, and of one that has not ended: enough to make sense, not so much that hooks would wait for it. */
const MAX_PART = 400;
const MAX_OPEN_PART = 150;

const partOf = (db: Database, sessionId: number): number =>
  exists(db, `SELECT 1 FROM events WHERE session_id = ? AND status = 'pending' LIMIT 1 OFFSET ${MAX_TURN}`, sessionId)
    ? MAX_PART
    : MAX_TURN;

type TurnEnd = { seq: number; promptId: string | null; promptNumber: number };

/** Where the first waiting turn of a session ends, if it has ended. */
export const findTurnEnd = (db: Database, sessionId: number): TurnEnd | null => {
  const sql = `SELECT seq, prompt_id AS promptId, prompt_number AS promptNumber FROM events
    WHERE session_id = ? AND status = 'pending' AND kind IN ('stop','end') ORDER BY seq LIMIT 1`;
  return readFirst<TurnEnd>(db, sql, sessionId);
};

/** In the order they were processed in. */
export const listBatchEvents = (db: Database, batchId: number): QueuedEvent[] =>
  readQueued(db, "batch_id = $batchId AND payload IS NOT NULL ORDER BY kind IN ('stop','end'), seq", { batchId });

/** What the user did not allow while these events happened: nothing has to process it, and their words stand there. */
export function listRefused(db: Database, sessionId: number, turn: QueuedEvent[]): QueuedEvent[] {
  const seqs = turn.map(({ seq }) => seq);
  return readQueued(
    db,
    `session_id = $sessionId AND seq BETWEEN $first AND $last AND kind = 'tool' AND status = 'skipped'
       AND json_extract(payload, '$.isUndone') ORDER BY seq`,
    { sessionId, first: Math.min(...seqs), last: Math.max(...seqs) },
  );
}

function readQueued(db: Database, where: string, values: Record<string, string | number | null>): QueuedEvent[] {
  const sql = `SELECT seq, prompt_number AS promptNumber, payload FROM events WHERE ${where}`;
  return readAll<{ seq: number; promptNumber: number; payload: string }>(db, sql, values).map(({ payload, ...place }) => ({
    ...place,
    event: JSON.parse(payload) as SessionEvent,
  }));
}

/** Whether more of a turn waits to be processed. The end of the session, right after its last turn, adds nothing to that. */
export const isWaiting = (db: Database, sessionId: number, promptNumber: number): boolean => {
  const sql = "SELECT 1 FROM events WHERE session_id = ? AND status = 'pending' AND prompt_number = ? AND kind <> 'end' LIMIT 1";
  return exists(db, sql, sessionId, promptNumber);
};

/** Whether what came before `seq` was processed without the end of the turn: then what follows is another part of it. */
export const hasOpenPart = (db: Database, turn: { sessionId: number; promptNumber: number }, seq: number): boolean => {
  const sql = `SELECT count(*) > 0 AND total(kind IN ('stop','end')) = 0 FROM events
    WHERE session_id = ? AND prompt_number = ? AND seq < ? AND batch_id IS NOT NULL`;
  return readValue(db, sql, turn.sessionId, turn.promptNumber, seq) === 1;
};

export function finishEvents(db: Database, seqs: number[], status: 'done' | 'skipped'): void {
  const finish = db.query('UPDATE events SET status = ?, error = NULL WHERE seq = ?');
  for (const seq of seqs) finish.run(status, seq);
}

/** Processed together. They are done, or still held for the model. */
export function assignBatch(db: Database, seqs: number[], batchId: number, status: 'done' | 'claimed'): void {
  const assign = db.query('UPDATE events SET batch_id = ?, status = ?, error = NULL WHERE seq = ?');
  for (const seq of seqs) assign.run(batchId, status, seq);
}

/** Back to waiting after a fault that was not theirs, such as a full disk: it does not count. */
export function returnEvents(db: Database, seqs: number[], error: string): void {
  const release = db.query("UPDATE events SET status = 'pending', attempts = max(0, attempts - 1), error = ? WHERE seq = ?");
  for (const seq of seqs) release.run(error, seq);
}

/** Those that a fault of the store left claimed wait again: nobody died of them. Only for whoever processes nothing at this moment. */
export function returnClaimed(db: Database): void {
  db.run("UPDATE events SET status = 'pending', attempts = max(0, attempts - 1) WHERE status = 'claimed' AND batch_id IS NULL");
}

/** Back to waiting, or aside after too many attempts; true when they are set aside. */
export function releaseEvents(db: Database, seqs: number[], error: string): boolean {
  const sql = `UPDATE events SET error = $error, status = CASE WHEN attempts >= ${MAX_ATTEMPTS} THEN 'quarantined' ELSE 'pending' END
    WHERE seq = $seq RETURNING status`;
  const release = db.query<{ status: string }, [{ error: string; seq: number }]>(sql);
  return seqs.map((seq) => release.get({ error, seq })).some((row) => row?.status === 'quarantined');
}

const DIED_AT = 'the worker ended while it was ';
const DIED = `${DIED_AT}processed`;
const LAST_TRY = 'tried for the last time, by a worker that had lived for long';

/** At start nobody else can be working on them: what is still claimed, and not held for the model, was left by a crash. */
export const reclaimEvents = (db: Database): number =>
  db.run(
    `UPDATE events SET status = CASE WHEN attempts >= ${MOST_DEATHS} THEN 'quarantined' ELSE 'pending' END,
       error = CASE error WHEN '${LAST_TRY}' THEN error ELSE '${DIED}' END WHERE status = 'claimed' AND batch_id IS NULL`,
  ).changes;

/** Workers may have been killed at them by chance: they wait once more, and for the last time. True when there were some. */
export const retrySetAside = (db: Database): boolean =>
  db.run(
    `UPDATE events SET status = 'pending', error = '${LAST_TRY}'
     WHERE status = 'quarantined' AND error LIKE '${DIED_AT}%' AND payload IS NOT NULL`,
  ).changes > 0;

/** Whatever was set aside waits again, as if for the first time, but what belongs to no session; how much that is. */
export const retryAll = (db: Database): number =>
  db.run(
    `UPDATE events SET status = 'pending', attempts = 0, error = NULL
     WHERE status = 'quarantined' AND payload IS NOT NULL AND coalesce(error, '') NOT LIKE 'there is no session %'`,
  ).changes;

/** Set aside before anybody looked at it. False when it was, or when there was nothing to look at. */
export const quarantineEvent = (db: Database, id: string, error: string): boolean =>
  db.query("UPDATE events SET status = 'quarantined', error = ? WHERE id = ? AND status = 'pending'").run(error, id).changes > 0;

const countEvents = (db: Database, where: string, ...values: number[]): number =>
  readValue<number>(db, `SELECT count(*) FROM events WHERE ${where}`, ...values) ?? 0;

export const countSessionQueue = (db: Database, sessionId: number): number =>
  countEvents(db, "session_id = ? AND (status = 'pending' OR status = 'claimed' AND batch_id IS NULL)", sessionId);

type QueueState = { depth: number; oldestMs: number | null; quarantined: number };

export function readQueue(db: Database, now: number): QueueState {
  const oldest = oldestHook(db, '');
  return {
    depth: countEvents(db, "status = 'pending'") + countEvents(db, "status = 'claimed' AND batch_id IS NULL"),
    oldestMs: oldest === null ? null : Math.max(0, now - oldest),
    quarantined: countEvents(db, "status = 'quarantined'"),
  };
}

/** By when it happened: what is read from a transcript happened long ago, and has only just arrived. */
const oldestHook = (db: Database, more: string): number | null =>
  readValue(db, `SELECT min(created_at_epoch) FROM events WHERE status = 'pending' AND provenance LIKE 'hook:%' ${more}`);

/** A turn that has ended is processed within a second; one that waits so long shows that nothing moves. */
const STUCK_MS = 2 * 60_000;

export function isStuck(db: Database, now: number): boolean {
  const oldest = oldestHook(db, "AND kind IN ('stop','end')");
  return oldest !== null && now - oldest > STUCK_MS;
}

/** What an event weighs at most once it is condensed. */
const CONDENSED_EVENT = 1200;

export type WaitingSession = {
  sessionId: number;
  hostSessionId: string;
  projectId: number;
  condensedSize: number;
  lastAt: number;
  hasEnded: number;
  /** So has the session: 1, else 0. */
  isOver: number;
};

/** The sessions with waiting events, the longest waiting first; of one project, or of all. What it reads is all in one index. */
export const listWaitingSessions = (db: Database, projectId: number | null = null): WaitingSession[] => {
  const sql = `SELECT e.session_id AS sessionId, s.host_session_id AS hostSessionId, s.project_id AS projectId,
     sum(min(e.size, ${CONDENSED_EVENT})) AS condensedSize,
      max(e.created_at_epoch) AS lastAt, max(e.kind IN ('stop','end')) AS hasEnded,
      s.status = 'completed' AS isOver
    FROM events e JOIN sessions s ON s.id = e.session_id
    WHERE e.status = 'pending' ${projectId === null ? '' : 'AND s.project_id = ?'} GROUP BY e.session_id ORDER BY min(e.seq)`;
  return readAll<WaitingSession>(db, sql, ...(projectId === null ? [] : [projectId]));
};

type Row = { session: string; n: number; open: number; isDue: number };

/** What is still to be worked on, and of which sessions: events of turns, ended or not, and turns that wait for a model. */
export function readProcessing(db: Database): Processing {
  const sql = `SELECT s.host_session_id AS session, sum(w.n) AS n, total(w.n) FILTER (WHERE NOT w.isDue) AS open, max(w.isDue) AS isDue
    FROM (SELECT session_id AS id, count(*) AS n, max(kind IN ('stop','end')) AS isDue
          FROM events INDEXED BY events_pending WHERE status = 'pending' GROUP BY session_id
        UNION ALL SELECT session_id, count(*), 1 FROM batches INDEXED BY batches_waiting WHERE status = 'waiting' GROUP BY session_id) w
      JOIN sessions s ON s.id = w.id GROUP BY s.id ORDER BY s.id`;
  const rows = readAll<Row>(db, sql);
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

/** Those of these events that wait to be processed. */
export function findWaiting(db: Database, events: { id: string; sessionId: number }[]): Set<string> {
  const wanted = JSON.stringify(events.map(({ id, sessionId }) => [id, sessionId]));
  return new Set(readColumn<string>(db, WAITING, wanted));
}

/** As they are shown to whoever watches. */
export const readStreamedSessions = (db: Database, ids: number[]): StreamedSession[] => {
  const sql = `SELECT s.host_session_id AS session, p.name AS project, s.status, s.title, s.updated_at_epoch AS at
    FROM json_each(?) AS wanted CROSS JOIN sessions s ON s.id = wanted.value JOIN projects p ON p.id = s.project_id
    ORDER BY s.id`;
  return readAll<StreamedSession>(db, sql, JSON.stringify(ids));
};
