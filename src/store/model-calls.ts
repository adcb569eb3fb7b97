// model_calls: every question to a model, written before it is asked, with what it cost.
import type { Database } from 'bun:sqlite';
import type { Usage } from '../core/models.ts';
import type { ModelStatus, Spent, Stats } from '../core/shapes/worker.ts';
import { isoTime } from '../core/time.ts';
import { exists, readAll, readFirst, readValue } from './read.ts';

/** True for a session that our observer opened: nothing is captured from it. */
export const isObserverSession = (db: Database, hostSessionId: string): boolean =>
  exists(db, 'SELECT 1 FROM model_calls WHERE host_session_id = ? LIMIT 1', hostSessionId);

type NewCall = {
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
  const sql = `INSERT INTO model_calls (batch_id, session_id, part, provider, model, input_tokens, output_tokens, listed, status,
      created_at, created_at_epoch)
    VALUES ($batchId, $sessionId, $part, $provider, $model, $inputTokens, $outputTokens, $listed, 'started', $iso, $at)`;
  const { lastInsertRowid } = db.query(sql).run({ ...call, listed: JSON.stringify(call.listed), iso: isoTime(call.at) });
  return Number(lastInsertRowid);
}

/** Whose session and process it is, as soon as that is known. */
export function noteRun(db: Database, id: number, run: { hostSessionId: string } | { pid: number; mark: string }): void {
  if ('pid' in run) db.query('UPDATE model_calls SET pid = ?, mark = ? WHERE id = ?').run(run.pid, run.mark, id);
  else db.query('UPDATE model_calls SET host_session_id = ? WHERE id = ?').run(run.hostSessionId, id);
}

type CallEnd = {
  status: 'answered' | 'failed';
  answer: string | null;
  error: string | null;
  /** Null: what was reserved stays counted, since nobody knows better. */
  usage: Usage | null;
  durationMs: number;
};

export function endCall(db: Database, id: number, { usage, ...end }: CallEnd): void {
  const sql = `UPDATE model_calls SET status = $status, answer = $answer, error = $error, duration_ms = $durationMs,
    pid = NULL, mark = NULL, input_tokens = coalesce($inputTokens, input_tokens), cached_tokens = coalesce($cachedTokens, cached_tokens),
    output_tokens = coalesce($outputTokens, output_tokens) WHERE id = $id`;
  db.query(sql).run({
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

export const lastUnreadable = (db: Database, batchId: number, part: string): string | null => {
  const sql = "SELECT answer FROM model_calls WHERE batch_id = ? AND part = ? AND status = 'unreadable' ORDER BY id DESC LIMIT 1";
  return readValue(db, sql, batchId, part);
};

/** The last answer about a part of a batch that can be read. */
export const findAnswer = (db: Database, batchId: number, part: string): { id: number; text: string } | null => {
  const sql = `SELECT id, answer AS text FROM model_calls WHERE batch_id = ? AND part = ? AND status = 'answered' AND answer IS NOT NULL
    ORDER BY id DESC LIMIT 1`;
  return readFirst<{ id: number; text: string }>(db, sql, batchId, part);
};

/** What the model said of a turn, with what it was asked about: a rebuild reads it again. */
export function listKeptAnswers(
  db: Database,
  { sessionId, promptNumber }: { sessionId: number; promptNumber: number },
): (Listed & { answer: string })[] {
  return (
    readAll<{ answer: string; listed: string }>(
      db,
      `SELECT c.answer, c.listed FROM batches b JOIN model_calls c ON c.batch_id = b.id
       WHERE b.session_id = ? AND b.prompt_number = ? AND b.status = 'done' AND b.observer = 'model'
         AND c.status = 'answered' AND c.answer IS NOT NULL AND c.listed IS NOT NULL ORDER BY c.id`,
      sessionId,
      promptNumber,
    )
      // Written by startCall and nobody else.
      .map(({ answer, listed }) => ({ answer, ...(JSON.parse(listed) as Listed) }))
  );
}

/** They are not used, or something in them was forgotten. `but`: the one that is. */
export function dropAnswers(db: Database, batchId: number, but: { part: string } | null = null): void {
  const sql = `UPDATE model_calls SET answer = NULL WHERE batch_id = $batchId AND answer IS NOT NULL
    AND NOT (status = 'answered' AND part IS $part)`;
  db.query(sql).run({ batchId, part: but?.part ?? null });
}

type LostCall = { id: number; batchId: number | null; pid: number | null; mark: string | null };

/** At start nobody else can be asking: what is still open was cut off by a crash. Its reservation stays counted. */
export function loseStartedCalls(db: Database): LostCall[] {
  const lost = readAll<LostCall>(db, "SELECT id, batch_id AS batchId, pid, mark FROM model_calls WHERE status = 'started'");
  db.query(
    "UPDATE model_calls SET status = 'lost', error = 'the worker ended before the answer', pid = NULL, " +
      "mark = NULL WHERE status = 'started'",
  ).run();
  return lost;
}

// model_pauses: until when a model is not asked, and why. Kept over restarts.

export type Pause = Omit<NonNullable<ModelStatus['pause']>, 'untilIso'>;

/** A pause that was written by a clock far ahead must not last until then. */
const LONGEST_MS = 7 * 86_400_000;

/** `access` names one way of asking: provider, model, address and key. */
export function getPause(db: Database, access: string, now: number): Pause | null {
  const pause = readFirst<Pause>(db, 'SELECT kind, until_epoch AS until, times, message FROM model_pauses WHERE access = ?', access);
  return pause && pause.until > now + LONGEST_MS ? { ...pause, until: 0 } : pause;
}

export function setPause(db: Database, access: string, pause: Pause & { at: number }): void {
  const sql = `INSERT INTO model_pauses (access, kind, until_epoch, times, message, updated_at)
    VALUES ($access, $kind, $until, $times, $message, $iso)
    ON CONFLICT (access) DO UPDATE SET kind = $kind, until_epoch = $until, times = $times, message = $message, updated_at = $iso`;
  db.query(sql).run({ access, ...pause, iso: isoTime(pause.at) });
}

export function clearPause(db: Database, access: string): void {
  db.query('DELETE FROM model_pauses WHERE access = ?').run(access);
}

/** What was refused may be accepted now: the settings have changed, or a person started the worker anew. */
export function clearRefusals(db: Database): void {
  db.query("DELETE FROM model_pauses WHERE kind IN ('auth','unrecoverable')").run();
}

// What the model calls cost: against the budget, and for whoever wants to know.

const SUM = 'coalesce(sum(input_tokens + cached_tokens + output_tokens), 0) AS tokens, count(*) AS calls';

export const spentSince = (db: Database, since: number): Spent =>
  readFirst<Spent>(db, `SELECT ${SUM} FROM model_calls WHERE created_at_epoch >= ?`, since) ?? NOTHING;

export const spentBySession = (db: Database, sessionId: number): Spent =>
  readFirst<Spent>(db, `SELECT ${SUM} FROM model_calls WHERE session_id = ?`, sessionId) ?? NOTHING;

const NOTHING: Spent = { tokens: 0, calls: 0 };

export type Budget = Stats['spend']['budget'];
/** What the next call may cost at most; `sessionId` null asks about the day alone. */
type NextCall = { at: number; costTokens: number; sessionId: number | null };

/** The limit that the next call would pass, in words; null when it may be made. */
export function findExhausted(db: Database, budget: Budget, { at, costTokens, sessionId }: NextCall): string | null {
  const today = spentSince(db, startOfDay(at));
  const session = sessionId === null ? NOTHING : spentBySession(db, sessionId);
  if (today.tokens + costTokens > budget.dailyTokens)
    return `the budget of ${budget.dailyTokens} tokens a day has not enough left for a question`;
  if (today.calls + 1 > budget.dailyCalls) return `the budget of ${budget.dailyCalls} calls a day is used up`;
  if (session.tokens + costTokens > budget.sessionTokens)
    return `the budget of ${budget.sessionTokens} tokens a session has not enough left for a question`;
  if (session.calls + 1 > budget.sessionCalls) return `the budget of ${budget.sessionCalls} calls a session is used up`;
  return null;
}

/** Days are the user's: from midnight to midnight where they are. */
export function startOfDay(now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

export type SpendRow = Stats['spend']['byDay'][number];

const COLUMNS = `count(*) AS calls, coalesce(sum(c.input_tokens), 0) AS input, coalesce(sum(c.cached_tokens), 0) AS cached,
  coalesce(sum(c.output_tokens), 0) AS output`;

/** Newest day first. An observation counts on the day of the call that made it. */
export function spendByDay(db: Database, limit: number): SpendRow[] {
  return grouped(db, "date(c.created_at_epoch / 1000, 'unixepoch', 'localtime')", 'name DESC', limit);
}

export function spendByProject(db: Database, limit: number): SpendRow[] {
  const tellApart = nameProjects(db);
  return grouped(db, 'p.key', 'input DESC', limit).map((row) => ({
    ...row,
    name: row.name === null ? null : (tellApart.get(row.name) ?? row.name),
  }));
}

export function spendBySessions(db: Database, limit: number): SpendRow[] {
  return grouped(db, 'coalesce(s.title, s.first_prompt, s.host_session_id)', 'max(c.id) DESC', limit, 's.id');
}

function grouped(db: Database, name: string, order: string, limit: number, key = name): SpendRow[] {
  const sql = `SELECT ${name} AS name, ${COLUMNS}, coalesce(sum(o.n), 0) AS observations
    FROM model_calls c
    LEFT JOIN sessions s ON s.id = c.session_id
    LEFT JOIN projects p ON p.id = s.project_id
    LEFT JOIN (SELECT max(c2.id) AS call, (SELECT count(*) FROM observations WHERE batch_id = b.id) AS n
               FROM batches b JOIN model_calls c2 ON c2.batch_id = b.id WHERE b.observer = 'model' GROUP BY b.id) o
      ON o.call = c.id
    GROUP BY ${key} ORDER BY ${order} LIMIT ? + 0`;
  return readAll<SpendRow>(db, sql, limit);
}

/** A name for each project key: the project's own, with the folder above it where two have the same, or the key. */
function nameProjects(db: Database): Map<string, string> {
  const projects = readAll<{ key: string; name: string; root: string }>(db, 'SELECT key, name, root FROM projects').map(
    ({ key, name, root }) => ({ key, names: [name, `${root.split(/[\\/]/).at(-2) ?? ''}/${name}`] }),
  );
  const times = new Map<string, number>();
  for (const name of projects.flatMap(({ names }) => names)) times.set(name, (times.get(name) ?? 0) + 1);
  return new Map(projects.map(({ key, names }) => [key, names.find((name) => times.get(name) === 1) ?? key]));
}
