// batches: the events that were processed together, and whether a model is still to look at them.
import type { Database } from 'bun:sqlite';
import { isoTime } from '../core/time.ts';
import { exists, readAll, readColumn, readFirst, readValue } from './read.ts';

export type StoredBatch = {
  id: number;
  sessionId: number;
  promptNumber: number;
  status: 'waiting' | 'done' | 'quarantined';
  failures: number;
  isShrunk: boolean;
  isRepaired: boolean;
  nextTryAt: number;
  createdAt: number;
};

type Row = Omit<StoredBatch, 'isShrunk' | 'isRepaired'> & { isShrunk: number; isRepaired: number };

const SELECT = `SELECT id, session_id AS sessionId, prompt_number AS promptNumber, status, failures, shrunk AS isShrunk,
  repaired AS isRepaired, next_try_epoch AS nextTryAt, created_at_epoch AS createdAt FROM batches`;

const fromRow = (row: Row): StoredBatch => ({
  ...row,
  isShrunk: row.isShrunk === 1,
  isRepaired: row.isRepaired === 1,
});

type NewBatch = { sessionId: number; promptNumber: number; status: 'waiting' | 'done'; at: number };

/** The local result stands, for good or until a model has answered. */
export function insertBatch(db: Database, batch: NewBatch): number {
  const sql = `INSERT INTO batches (session_id, prompt_number, status, observer, created_at, created_at_epoch)
    VALUES ($sessionId, $promptNumber, $status, 'local', $iso, $at)`;
  const { lastInsertRowid } = db.query(sql).run({ ...batch, iso: isoTime(batch.at) });
  return Number(lastInsertRowid);
}

export function getBatch(db: Database, id: number): StoredBatch | null {
  const row = readFirst<Row>(db, `${SELECT} WHERE id = ?`, id);
  return row && fromRow(row);
}

/** The first waiting one of each session, oldest first: what a session recorded before is part of the next question. */
export function listWaitingBatches(db: Database): StoredBatch[] {
  const sql = `${SELECT} WHERE id IN (SELECT min(id) FROM batches WHERE status = 'waiting' GROUP BY session_id) ORDER BY id`;
  return readAll<Row>(db, sql).map(fromRow);
}

/** Since when nothing more came of its turn, epoch ms; null when the user went on or the session ended: nothing to wait for. */
export function quietSince(db: Database, { id, sessionId, promptNumber, createdAt }: StoredBatch): number | null {
  const sql = `SELECT s.status NOT IN ('initialized','active','summarizing')
        OR EXISTS (SELECT 1 FROM prompts WHERE session_id = $sessionId AND prompt_number > $promptNumber) AS isOver,
      (SELECT max(created_at_epoch) FROM events WHERE batch_id = $id) AS lastAt
    FROM sessions s WHERE s.id = $sessionId`;
  const row = readFirst<{ isOver: number; lastAt: number | null }>(db, sql, { id, sessionId, promptNumber });
  return !row || row.isOver ? null : Math.min(row.lastAt ?? createdAt, createdAt);
}

export const listWaitingBatchesOf = (db: Database, sessionId: number): number[] =>
  readColumn(db, "SELECT id FROM batches WHERE session_id = ? AND status = 'waiting'", sessionId);

export const countBatches = (db: Database, status: StoredBatch['status']): number =>
  readValue<number>(db, 'SELECT count(*) FROM batches WHERE status = ?', status) ?? 0;

/** What the next try must know of the last. */
type Trial = {
  failures?: number;
  isShrunk?: boolean;
  isRepaired?: boolean;
  nextTryAt?: number;
  reason?: string;
};

export function noteTrial(db: Database, id: number, trial: Trial): void {
  const sql = `UPDATE batches SET failures = coalesce($failures, failures), shrunk = coalesce($shrunk, shrunk),
    repaired = coalesce($repaired, repaired), next_try_epoch = coalesce($nextTryAt, next_try_epoch),
    reason = coalesce($reason, reason) WHERE id = $id`;
  db.query(sql).run({
    id,
    failures: trial.failures ?? null,
    shrunk: asBit(trial.isShrunk),
    repaired: asBit(trial.isRepaired),
    nextTryAt: trial.nextTryAt ?? null,
    reason: trial.reason ?? null,
  });
}

const asBit = (value: boolean | undefined) => (value === undefined ? null : Number(value));

type BatchEnd = { status: 'done' | 'quarantined'; observer: 'local' | 'model'; reason: string | null };

/** Its events are done with it: to be called inside a transaction. */
export function finishBatch(db: Database, id: number, end: BatchEnd): void {
  db.query('UPDATE batches SET status = $status, observer = $observer, reason = $reason WHERE id = $id').run({
    id,
    ...end,
  });
  db.query("UPDATE events SET status = 'done', error = NULL WHERE batch_id = ? AND status = 'claimed'").run(id);
  for (const table of ['observations', 'summaries']) db.query(`UPDATE ${table} SET provisional = 0 WHERE batch_id = ?`).run(id);
}

/**
 * What the local observer made of it, before the model's result takes its place. What a person pinned stays, a rule of
 * the user, and what is `standing`.
 */
export function dropProvisional(db: Database, id: number, standing: { type: string; title: string | null }[]): void {
  const kept = JSON.stringify(standing.map(({ type, title }) => `${type} ${title}`));
  const sql = `DELETE FROM observations WHERE batch_id = ? AND provisional = 1 AND pinned = 0 AND is_rule = 0
    AND type || ' ' || coalesce(title, 'null') NOT IN (SELECT value FROM json_each(?))`;
  db.query(sql).run(id, kept);
  db.query('DELETE FROM summaries WHERE batch_id = ? AND provisional = 1').run(id);
}

/** Why the last turn that had no budget was left to the rules. */
export const lastBudgetReason = (db: Database, since: number): string | null =>
  readValue(db, "SELECT reason FROM batches WHERE created_at_epoch >= ? AND reason LIKE 'the budget of %' ORDER BY id DESC LIMIT 1", since);

/** When anything was processed last, whenever it had happened. */
export const lastObservedAt = (db: Database): number | null =>
  readValue(db, 'SELECT created_at_epoch FROM batches ORDER BY id DESC LIMIT 1');

/** A model has looked at some of its turns, or will. */
export const hasModelBatches = (db: Database, sessionId: number): boolean =>
  exists(db, "SELECT 1 FROM batches WHERE session_id = ? AND (observer = 'model' OR status = 'waiting')", sessionId);
