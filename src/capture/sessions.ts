// sessions: one row for each session of an agent, by the agent's own id.
import type { Database } from 'bun:sqlite';
import type { SessionStatus } from '../core/shapes/project.ts';
import { isoTime } from '../core/time.ts';
import { agentOf, trustedSession } from '../memory/trusted.ts';
import { scrubValue } from '../secrets/scrub.ts';
import { readAll, readFirst, readValue } from '../store/read.ts';

export type Session = {
  id: number;
  hostSessionId: string;
  projectId: number;
  root: string;
  title: string | null;
  subtitle: string | null;
  firstPrompt: string | null;
  promptCounter: number;
  status: SessionStatus;
  updatedAt: number;
  completedAt: number | null;
};

const COLUMNS = `id, host_session_id AS hostSessionId, project_id AS projectId, root, title, subtitle,
  first_prompt AS firstPrompt, prompt_counter AS promptCounter, status, updated_at_epoch AS updatedAt,
  completed_at_epoch AS completedAt`;

type NewSession = {
  host: string;
  hostSessionId: string;
  projectId: number;
  cwd: string;
  root: string;
  branch: string | null;
  at: number;
};

/** The session as it is, or a new one: the same id always gives the same row. */
export function ensureSession(db: Database, session: NewSession): Session {
  const sql = `INSERT OR IGNORE INTO sessions (host, host_session_id, project_id, cwd, root, branch, started_at, started_at_epoch,
      updated_at, updated_at_epoch, status)
    VALUES ($host, $hostSessionId, $projectId, $cwd, $root, $branch, $iso, $at, $iso, $at, 'initialized')`;
  db.query(sql).run({ ...session, iso: isoTime(session.at) });
  const row = findSession(db, session.hostSessionId);
  if (!row) throw new Error(`session ${session.hostSessionId} vanished while it was stored`);
  return row;
}

export function findSession(db: Database, hostSessionId: string): Session | null {
  return readFirst<Session>(db, `SELECT ${COLUMNS} FROM sessions WHERE host_session_id = ?`, hostSessionId);
}

export function getSession(db: Database, id: number): Session | null {
  return readFirst<Session>(db, `SELECT ${COLUMNS} FROM sessions WHERE id = ?`, id);
}

/** The host's own id; '' when there is no such session. */
export function hostSessionId(db: Database, id: number): string {
  return readValue<string>(db, 'SELECT host_session_id FROM sessions WHERE id = ?', id) ?? '';
}

const MOST_NAMED = 5;

/** The one with this id, else those whose id begins so. */
export function findSessionsStarting(db: Database, name: string, most = MOST_NAMED): Session[] {
  const exact = findSession(db, name);
  if (exact) return [exact];
  const sql = `SELECT ${COLUMNS} FROM sessions WHERE substr(host_session_id, 1, length(?1)) = ?1
    ORDER BY updated_at_epoch DESC LIMIT ?2 + 0`;
  return readAll<Session>(db, sql, name, most);
}

/** Any sign of life. A session thought to be over is open again. */
export function touchSession(db: Database, id: number, status: SessionStatus, at: number): void {
  const sql = `UPDATE sessions SET status = $status, updated_at = max(updated_at, $iso), updated_at_epoch = max(updated_at_epoch, $at),
    completed_at = NULL, completed_at_epoch = NULL, end_reason = NULL WHERE id = $id`;
  db.query(sql).run({ id, status, at, iso: isoTime(at) });
}

export function countPrompt(db: Database, id: number, text: string): number {
  const sql = `UPDATE sessions SET prompt_counter = prompt_counter + 1, first_prompt = coalesce(first_prompt, nullif(?, ''))
    WHERE id = ? RETURNING prompt_counter`;
  return readValue(db, sql, text, id) ?? 0;
}

export function completeSession(db: Database, id: number, reason: string, at: number): void {
  const sql = `UPDATE sessions SET status = 'completed', end_reason = $reason, completed_at = $iso, completed_at_epoch = $at,
    updated_at = max(updated_at, $iso), updated_at_epoch = max(updated_at_epoch, $at) WHERE id = $id`;
  db.query(sql).run({ id, reason, at, iso: isoTime(at) });
}

/** A stored summary ends the summarizing, unless the session has ended meanwhile. */
export function describeSession(
  db: Database,
  id: number,
  words: { title: string | null; subtitle: string | null; isSummarized: boolean },
): void {
  const sql = `UPDATE sessions SET title = coalesce($title, title), subtitle = coalesce($subtitle, subtitle),
    status = CASE WHEN $isSummarized AND status = 'summarizing' THEN 'active' ELSE status END WHERE id = $id`;
  db.query(sql).run({ id, ...scrubValue(words).value });
}

/** Its events could not be distilled, again and again. */
export function failSession(db: Database, id: number): void {
  db.query("UPDATE sessions SET status = 'failed' WHERE id = ?").run(id);
}

export function interruptSilentSessions(db: Database, before: number): number {
  const sql = `UPDATE sessions SET status = 'interrupted'
    WHERE status IN ('initialized','active','summarizing') AND updated_at_epoch < ?`;
  return db.query(sql).run(before).changes;
}

/** `agent`: if not Claude Code. */
export type RecentSession = { id: number; startedAt: number; prompts: number } & Record<'agent' | 'title' | 'subtitle', string | null>;
type RecentQuery = { projectId: number; except: number; since: number; limit: number };

/** The latest first, of those that were alive after that moment; none that was opened and left. */
export function listRecentSessions(db: Database, query: RecentQuery): RecentSession[] {
  const sql = `SELECT id, ${agentOf('sessions')} AS agent, title, subtitle, started_at_epoch AS startedAt, prompt_counter AS prompts
    FROM sessions WHERE project_id = $projectId AND id <> $except AND updated_at_epoch >= $since
      AND (title IS NOT NULL OR prompt_counter > 0 OR EXISTS (SELECT 1 FROM observations o WHERE o.session_id = sessions.id))
      AND ${trustedSession('sessions.id')}
    ORDER BY updated_at_epoch DESC, id DESC LIMIT $limit + 0`;
  return readAll<RecentSession>(db, sql, query);
}

export function countSessions(db: Database): Record<string, number> {
  const rows = readAll<{ status: string; n: number }>(db, 'SELECT status, count(*) AS n FROM sessions GROUP BY status');
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

const EVENTS_AT_ONCE = 200;
const PROMPTS_AT_ONCE = 5;

/** A piece of it; true when all of it is gone. Inside a transaction. */
export function dropSessionPart(db: Database, id: number): boolean {
  const drop = (table: string, key: string, limit: number) =>
    db.query(`DELETE FROM ${table} WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE session_id = ? LIMIT ? + 0)`).run(id, limit).changes;
  if (drop('events', 'seq', EVENTS_AT_ONCE) > 0 || drop('prompts', 'id', PROMPTS_AT_ONCE) > 0) return false;
  db.query('DELETE FROM sessions WHERE id = ?').run(id);
  return true;
}
