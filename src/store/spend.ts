// What the model calls cost: against the budget, and for whoever wants to know.
import type { Database } from 'bun:sqlite';

export type Spent = { tokens: number; calls: number };

const SUM = 'coalesce(sum(input_tokens + cached_tokens + output_tokens), 0) AS tokens, count(*) AS calls';

export function spentSince(db: Database, since: number): Spent {
  return db.query<Spent, [number]>(`SELECT ${SUM} FROM model_calls WHERE created_at_epoch >= ?`).get(since) ?? NOTHING;
}

export function spentBySession(db: Database, sessionId: number): Spent {
  return db.query<Spent, [number]>(`SELECT ${SUM} FROM model_calls WHERE session_id = ?`).get(sessionId) ?? NOTHING;
}

const NOTHING: Spent = { tokens: 0, calls: 0 };

export type SpendRow = {
  name: string;
  calls: number;
  input: number;
  cached: number;
  output: number;
  observations: number;
};

const COLUMNS = `count(*) AS calls, coalesce(sum(c.input_tokens), 0) AS input, coalesce(sum(c.cached_tokens), 0) AS cached,
  coalesce(sum(c.output_tokens), 0) AS output`;

/** Newest day first. An observation counts on the day of the call that made it. */
export function spendByDay(db: Database, limit: number): SpendRow[] {
  return grouped(db, "date(c.created_at_epoch / 1000, 'unixepoch', 'localtime')", 'name DESC', limit);
}

export function spendByProject(db: Database, limit: number): SpendRow[] {
  return grouped(db, 'p.name', 'input DESC', limit);
}

export function spendBySessions(db: Database, limit: number): SpendRow[] {
  return grouped(db, 'coalesce(s.title, s.first_prompt, s.host_session_id)', 'max(c.id) DESC', limit, 's.id');
}

function grouped(db: Database, name: string, order: string, limit: number, key = name): SpendRow[] {
  return db
    .query<SpendRow, [number]>(
      `SELECT ${name} AS name, ${COLUMNS}, coalesce(sum(o.n), 0) AS observations
       FROM model_calls c
       LEFT JOIN sessions s ON s.id = c.session_id
       LEFT JOIN projects p ON p.id = s.project_id
       LEFT JOIN (SELECT max(c2.id) AS call, (SELECT count(*) FROM observations WHERE batch_id = b.id) AS n
                  FROM batches b JOIN model_calls c2 ON c2.batch_id = b.id WHERE b.observer = 'model' GROUP BY b.id) o
         ON o.call = c.id
       GROUP BY ${key} ORDER BY ${order} LIMIT ?`,
    )
    .all(limit);
}
