// What the model calls cost: against the budget, and for whoever wants to know.
import type { Database } from 'bun:sqlite';
import type { Spent } from '../../core/usage.ts';

const SUM = 'coalesce(sum(input_tokens + cached_tokens + output_tokens), 0) AS tokens, count(*) AS calls';

export function spentSince(db: Database, since: number): Spent {
  return db.query<Spent, [number]>(`SELECT ${SUM} FROM model_calls WHERE created_at_epoch >= ?`).get(since) ?? NOTHING;
}

export function spentBySession(db: Database, sessionId: number): Spent {
  return db.query<Spent, [number]>(`SELECT ${SUM} FROM model_calls WHERE session_id = ?`).get(sessionId) ?? NOTHING;
}

const NOTHING: Spent = { tokens: 0, calls: 0 };

export type SpendRow = {
  /** Null when the session is no longer kept. */
  name: string | null;
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

/** A name for each project key: the project's own, with the folder above it where two have the same, or the key. */
function nameProjects(db: Database): Map<string, string> {
  const projects = db
    .query<{ key: string; name: string; root: string }, []>('SELECT key, name, root FROM projects')
    .all()
    .map(({ key, name, root }) => ({ key, names: [name, `${root.split(/[\\/]/).at(-2) ?? ''}/${name}`] }));
  const times = new Map<string, number>();
  for (const name of projects.flatMap(({ names }) => names)) times.set(name, (times.get(name) ?? 0) + 1);
  return new Map(projects.map(({ key, names }) => [key, names.find((name) => times.get(name) === 1) ?? key]));
}
