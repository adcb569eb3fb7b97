// events: the queue and the ledger. An event is in it once, by its id and by its tool use.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../../core/event.ts';
import { isoTime } from '../time.ts';
import { findSaidEvent } from './said-events.ts';

/** A turn that the observer broke on this often is set aside. */
export const MAX_ATTEMPTS = 5;

export type NewEvent = {
  event: SessionEvent;
  sessionId: number;
  promptNumber: number;
  status: 'pending' | 'skipped';
  provenance: string;
};

/** Where a tool event came from that its hook had no time to read to the end: the transcript's copy takes its place. */
export const INCOMPLETE = 'hook:save:incomplete';

/** False when it was there already. */
export function insertEvent(db: Database, { event, ...row }: NewEvent): boolean {
  if (findSaidEvent(db, event, row.sessionId) !== null) return false;
  const payload = JSON.stringify(event);
  const { changes } = db
    .query(
      `INSERT OR IGNORE INTO events (id, session_id, kind, tool_use_id, prompt_id, prompt_number, payload, size, status,
         provenance, created_at, created_at_epoch)
       VALUES ($id, $sessionId, $kind, $toolUseId, $promptId, $promptNumber, $payload, $size, $status, $provenance, $iso, $at)`,
    )
    .run({
      ...row,
      id: event.id,
      kind: event.kind,
      toolUseId: event.kind === 'tool' ? event.toolUseId : null,
      promptId: event.promptId,
      payload,
      size: payload.length,
      iso: isoTime(event.at),
      at: event.at,
    });
  return changes > 0 || redo(db, event, { ...row, payload });
}

/** What seemed never to have been done was done after all; or what was there in part comes as a whole. */
function redo(
  db: Database,
  event: SessionEvent,
  row: Pick<NewEvent, 'status' | 'provenance'> & { payload: string },
): boolean {
  if (event.kind !== 'tool' || event.toolUseId === null || event.isUndone || row.provenance === INCOMPLETE)
    return false;
  return (
    db
      .query(
        `UPDATE events SET payload = $payload, size = $size, provenance = $provenance,
           status = CASE WHEN status IN ('skipped','pending') THEN $status ELSE status END
         WHERE tool_use_id = $id AND kind = 'tool'
           AND (provenance = '${INCOMPLETE}' OR status = 'skipped' AND payload LIKE '%"isUndone":true%')`,
      )
      .run({
        payload: row.payload,
        size: row.payload.length,
        status: row.status,
        provenance: row.provenance,
        id: event.toolUseId,
      }).changes > 0
  );
}

export type QueuedEvent = { seq: number; promptNumber: number; event: SessionEvent };

/**
 * The next turn of a session: its waiting events in the order of arrival, up to the first that ends a turn, and what came late
 * for it. Never by the clock, which may be set. Marks them as claimed, so that a crash while they are distilled is counted.
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
  return db
    .query<EventRow, [{ sessionId: number; seq: number; promptId: string | null; promptNumber: number }]>(
      `SELECT seq, prompt_number AS promptNumber, payload FROM events
       WHERE session_id = $sessionId AND status = 'pending'
         -- The next prompt may have come before a stop that was late: it begins another turn.
         AND (seq <= $seq AND prompt_number <= $promptNumber OR (prompt_id = $promptId AND kind IN ('tool','said','subagent')))
       ORDER BY kind IN ('stop','end'), seq LIMIT ${end ? partOf(db, sessionId) : MAX_OPEN_PART}`,
    )
    .all({
      sessionId,
      seq: end?.seq ?? Number.MAX_SAFE_INTEGER,
      promptId: end?.promptId ?? null,
      promptNumber: end?.promptNumber ?? Number.MAX_SAFE_INTEGER,
    })
    .map(fromRow);
}

/** A longer turn is distilled in parts. */
const MAX_TURN = 1000;
/** So much of one that is longer, and of one that has not ended: enough to make sense, not so much that hooks would wait for it. */
const MAX_PART = 400;
const MAX_OPEN_PART = 150;

function partOf(db: Database, sessionId: number): number {
  const more = db.query(`SELECT 1 FROM events WHERE session_id = ? AND status = 'pending' LIMIT 1 OFFSET ${MAX_TURN}`);
  return more.get(sessionId) === null ? MAX_TURN : MAX_PART;
}

/** Where the first waiting turn of a session ends, if it has ended. */
export function findTurnEnd(
  db: Database,
  sessionId: number,
): { seq: number; promptId: string | null; promptNumber: number } | null {
  return db
    .query<{ seq: number; promptId: string | null; promptNumber: number }, [number]>(
      `SELECT seq, prompt_id AS promptId, prompt_number AS promptNumber FROM events
       WHERE session_id = ? AND status = 'pending' AND kind IN ('stop','end') ORDER BY seq LIMIT 1`,
    )
    .get(sessionId);
}

/** Whether more of a turn waits to be distilled. The end of the session, right after its last turn, adds nothing to that. */
export const isWaiting = (db: Database, sessionId: number, promptNumber: number): boolean =>
  db
    .query(
      "SELECT 1 FROM events WHERE session_id = ? AND status = 'pending' AND prompt_number = ? AND kind <> 'end' LIMIT 1",
    )
    .get(sessionId, promptNumber) !== null;

/** Whether what came before `seq` was distilled without the end of the turn: then what follows is another part of it. */
export function hasOpenPart(
  db: Database,
  { sessionId, promptNumber }: { sessionId: number; promptNumber: number },
  seq: number,
): boolean {
  const before = db
    .query<{ events: number; ends: number }, [number, number, number]>(
      `SELECT count(*) AS events, count(*) FILTER (WHERE kind IN ('stop','end')) AS ends FROM events
       WHERE session_id = ? AND prompt_number = ? AND seq < ? AND batch_id IS NOT NULL`,
    )
    .get(sessionId, promptNumber, seq);
  return before !== null && before.events > 0 && before.ends === 0;
}

type EventRow = { seq: number; promptNumber: number; payload: string };

function fromRow({ seq, promptNumber, payload }: EventRow): QueuedEvent {
  // Written by insertEvent and nobody else.
  return { seq, promptNumber, event: JSON.parse(payload) as SessionEvent };
}

export function finishEvents(db: Database, seqs: number[], status: 'done' | 'skipped'): void {
  const finish = db.query('UPDATE events SET status = ?, error = NULL WHERE seq = ?');
  for (const seq of seqs) finish.run(status, seq);
}

/** Distilled together. They are done, or still held for the model. */
export function assignBatch(db: Database, seqs: number[], batchId: number, status: 'done' | 'claimed'): void {
  const assign = db.query('UPDATE events SET batch_id = ?, status = ?, error = NULL WHERE seq = ?');
  for (const seq of seqs) assign.run(batchId, status, seq);
}

/** In the order they were distilled in. */
export function listBatchEvents(db: Database, batchId: number): QueuedEvent[] {
  return db
    .query<EventRow, [number]>(
      `SELECT seq, prompt_number AS promptNumber, payload FROM events WHERE batch_id = ? AND payload IS NOT NULL
       ORDER BY kind IN ('stop','end'), seq`,
    )
    .all(batchId)
    .map(fromRow);
}

/** What the agent said last before an event. */
export function lastMessageBefore(db: Database, sessionId: number, before: number): string | null {
  const row = db
    .query<EventRow, [number, number]>(
      `SELECT seq, prompt_number AS promptNumber, payload FROM events
       WHERE session_id = ? AND seq < ? AND kind = 'stop' AND payload IS NOT NULL ORDER BY seq DESC LIMIT 1`,
    )
    .get(sessionId, before);
  const event = row && fromRow(row).event;
  return event?.kind === 'stop' ? event.message : null;
}

/** Back to waiting after a fault that was not theirs, such as a full disk: it does not count. */
export function returnEvents(db: Database, seqs: number[], error: string): void {
  const release = db.query(
    "UPDATE events SET status = 'pending', attempts = max(0, attempts - 1), error = ? WHERE seq = ?",
  );
  for (const seq of seqs) release.run(error, seq);
}

/** Those that a fault of the store left claimed wait again: nobody died of them. Only for whoever distils nothing at this moment. */
export function returnClaimed(db: Database): void {
  db.run(
    "UPDATE events SET status = 'pending', attempts = max(0, attempts - 1) WHERE status = 'claimed' AND batch_id IS NULL",
  );
}

/** Back to waiting, or aside after too many attempts; true when they are set aside. */
export function releaseEvents(db: Database, seqs: number[], error: string): boolean {
  const release = db.query<{ status: string }, [{ error: string; seq: number }]>(
    `UPDATE events SET error = $error, status = CASE WHEN attempts >= ${MAX_ATTEMPTS} THEN 'quarantined' ELSE 'pending' END
     WHERE seq = $seq RETURNING status`,
  );
  return seqs.map((seq) => release.get({ error, seq })).some((row) => row?.status === 'quarantined');
}

/** Tool events of earlier turns whose payload is still there, oldest first. */
export function listEarlierTools(db: Database, sessionId: number, before: number, limit = 200): SessionEvent[] {
  return db
    .query<EventRow, [number, number, number]>(
      `SELECT seq, prompt_number AS promptNumber, payload FROM events
       WHERE session_id = ? AND kind = 'tool' AND (status = 'done' OR batch_id IS NOT NULL) AND payload IS NOT NULL AND seq < ?
       ORDER BY seq DESC LIMIT ?`,
    )
    .all(sessionId, before, limit)
    .map((row) => fromRow(row).event)
    .reverse();
}

/** When a session was last heard of before this event. */
export function lastEventAt(db: Database, sessionId: number, exceptId: string): number | null {
  return (
    db
      .query<{ at: number | null }, [number, string]>(
        'SELECT max(created_at_epoch) AS at FROM events WHERE session_id = ? AND id <> ?',
      )
      .get(sessionId, exceptId)?.at ?? null
  );
}

/** False for a session that is known by its transcript alone. */
export const cameByHooks = (db: Database, sessionId: number): boolean =>
  db.query("SELECT 1 FROM events WHERE session_id = ? AND provenance LIKE 'hook:%' LIMIT 1").get(sessionId) !== null;
