// model_calls: every question to a model, written before it is asked, with what it cost.
import type { Database } from 'bun:sqlite';
import type { Usage } from '../../core/usage.ts';
import { isoTime } from '../time.ts';

/** True for a session that our observer opened: nothing is captured from it. */
export function isObserverSession(db: Database, hostSessionId: string): boolean {
  return db.query('SELECT 1 FROM model_calls WHERE host_session_id = ? LIMIT 1').get(hostSessionId) !== null;
}

export type NewCall = {
  batchId: number;
  sessionId: number;
  /** Which of its batch's events it is about: another cut is another part. */
  part: string;
  provider: string;
  model: string;
  /** What it may cost: counted until the provider has said what it did cost. */
  inputTokens: number;
  outputTokens: number;
  listed: Listed;
  at: number;
};

/** The decisions and open steps that a question named, by id: nothing else can be said to be replaced or done. */
export type Listed = { decisions: number[]; steps: number[] };

export function startCall(db: Database, call: NewCall): number {
  const { lastInsertRowid } = db
    .query(
      `INSERT INTO model_calls (batch_id, session_id, part, provider, model, input_tokens, output_tokens, listed, status, created_at,
         created_at_epoch)
       VALUES ($batchId, $sessionId, $part, $provider, $model, $inputTokens, $outputTokens, $listed, 'started', $iso, $at)`,
    )
    .run({ ...call, listed: JSON.stringify(call.listed), iso: isoTime(call.at) });
  return Number(lastInsertRowid);
}

/** Whose session and process it is, as soon as that is known. */
export function noteRun(
  db: Database,
  id: number,
  run: { hostSessionId: string } | { pid: number; mark: string },
): void {
  if ('pid' in run) db.query('UPDATE model_calls SET pid = ?, mark = ? WHERE id = ?').run(run.pid, run.mark, id);
  else db.query('UPDATE model_calls SET host_session_id = ? WHERE id = ?').run(run.hostSessionId, id);
}

export type CallEnd = {
  status: 'answered' | 'failed';
  answer: string | null;
  error: string | null;
  /** Null: what was reserved stays counted, since nobody knows better. */
  usage: Usage | null;
  durationMs: number;
};

export function endCall(db: Database, id: number, { usage, ...end }: CallEnd): void {
  db.query(
    `UPDATE model_calls SET status = $status, answer = $answer, error = $error, duration_ms = $durationMs, pid = NULL, mark = NULL,
       input_tokens = coalesce($inputTokens, input_tokens), cached_tokens = coalesce($cachedTokens, cached_tokens),
       output_tokens = coalesce($outputTokens, output_tokens) WHERE id = $id`,
  ).run({
    id,
    ...end,
    inputTokens: usage?.inputTokens ?? null,
    cachedTokens: usage?.cachedTokens ?? null,
    outputTokens: usage?.outputTokens ?? null,
  });
}

/** It came, but could not be read: the part is still open. */
export function rejectAnswer(db: Database, id: number): void {
  db.query("UPDATE model_calls SET status = 'unreadable' WHERE id = ?").run(id);
}

export function lastUnreadable(db: Database, batchId: number, part: string): string | null {
  const row = db
    .query<{ answer: string | null }, [number, string]>(
      "SELECT answer FROM model_calls WHERE batch_id = ? AND part = ? AND status = 'unreadable' ORDER BY id DESC LIMIT 1",
    )
    .get(batchId, part);
  return row?.answer ?? null;
}

export type StoredAnswer = { id: number; part: string; answer: string };

/** The answers of a batch that wait to be read, by part. */
export function listAnswers(db: Database, batchId: number): StoredAnswer[] {
  return db
    .query<StoredAnswer, [number]>(
      `SELECT id, part, answer FROM model_calls WHERE batch_id = ? AND status = 'answered' AND answer IS NOT NULL
       ORDER BY id`,
    )
    .all(batchId);
}

/** What the model said of a turn, with what it was asked about: a rebuild reads it again. */
export function listKeptAnswers(
  db: Database,
  { sessionId, promptNumber }: { sessionId: number; promptNumber: number },
): (Listed & { answer: string })[] {
  return (
    db
      .query<{ answer: string; listed: string }, [number, number]>(
        `SELECT c.answer, c.listed FROM batches b JOIN model_calls c ON c.batch_id = b.id
       WHERE b.session_id = ? AND b.prompt_number = ? AND b.status = 'done' AND b.observer = 'model'
         AND c.status = 'answered' AND c.answer IS NOT NULL AND c.listed IS NOT NULL ORDER BY c.id`,
      )
      .all(sessionId, promptNumber)
      // Written by startCall and nobody else.
      .map(({ answer, listed }) => ({ answer, ...(JSON.parse(listed) as Listed) }))
  );
}

/** They are not used, or something in them was forgotten. `but`: the one that is. */
export function dropAnswers(db: Database, batchId: number, but: { part: string } | null = null): void {
  db.query(
    `UPDATE model_calls SET answer = NULL WHERE batch_id = $batchId AND answer IS NOT NULL
       AND NOT (status = 'answered' AND part IS $part)`,
  ).run({ batchId, part: but?.part ?? null });
}

export type LostCall = { id: number; batchId: number | null; pid: number | null; mark: string | null };

/** At start nobody else can be asking: what is still open was cut off by a crash. Its reservation stays counted. */
export function loseStartedCalls(db: Database): LostCall[] {
  const lost = db
    .query<LostCall, []>("SELECT id, batch_id AS batchId, pid, mark FROM model_calls WHERE status = 'started'")
    .all();
  db.query(
    "UPDATE model_calls SET status = 'lost', error = 'the worker ended before the answer', pid = NULL, mark = NULL WHERE status = 'started'",
  ).run();
  return lost;
}
