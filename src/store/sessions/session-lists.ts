// Lists of sessions and projects, the latest first, page by page.
import type { Database } from 'bun:sqlite';
import type { ListedSession, SessionsAnswer } from '../../core/session.ts';
import type { Page } from '../memories/memory-lists.ts';

export type SessionListQuery = {
  projectIds: number[] | null;
  since: number;
  until: number;
  limit: number;
  offset: number;
};

/** A session is in a time when it was alive in it. */
export function listSessions(db: Database, { projectIds, since, until, limit, offset }: SessionListQuery) {
  const where = `s.host NOT IN ('claude-mem','git') AND s.updated_at_epoch >= $since AND s.started_at_epoch <= $until
    ${projectIds ? 'AND s.project_id IN (SELECT value FROM json_each($projects))' : ''}`;
  const values = { since, until, ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}) };
  const items = db
    .query<ListedSession, [Record<string, number | string>]>(
      `SELECT s.host_session_id AS session, s.host, p.name AS project, s.branch, s.title, s.subtitle,
         substr(s.first_prompt, 1, 300) AS firstPrompt, s.status,
         s.prompt_counter AS prompts, s.started_at_epoch AS startedAt, s.updated_at_epoch AS updatedAt,
         (SELECT count(*) FROM observations o WHERE o.session_id = s.id AND o.hidden_at IS NULL) AS observations
       FROM sessions s JOIN projects p ON p.id = s.project_id WHERE ${where}
       ORDER BY s.updated_at_epoch DESC, s.id DESC LIMIT $limit OFFSET $offset`,
    )
    .all({ ...values, limit, offset });
  const total = db
    .query<{ n: number }, [Record<string, number | string>]>(`SELECT count(*) AS n FROM sessions s WHERE ${where}`)
    .get(values);
  return { items, total: total?.n ?? 0, limit, offset } satisfies SessionsAnswer;
}

export type ListedProject = {
  /** Tells apart projects of the same name. */
  key: string;
  project: string;
  root: string;
  sessions: number;
  observations: number;
  updatedAt: number | null;
};

export function listProjects(db: Database, { limit, offset }: { limit: number; offset: number }): Page<ListedProject> {
  const items = db
    .query<ListedProject, [number, number]>(
      `SELECT p.key, p.name AS project, p.root,
         (SELECT count(*) FROM sessions s WHERE s.project_id = p.id AND s.host NOT IN ('claude-mem','git')) AS sessions,
         (SELECT count(*) FROM observations o WHERE o.project_id = p.id) AS observations,
         (SELECT max(s.updated_at_epoch) FROM sessions s WHERE s.project_id = p.id AND s.host <> 'git') AS updatedAt
       FROM projects p ORDER BY updatedAt DESC, p.id DESC LIMIT ? OFFSET ?`,
    )
    .all(limit, offset);
  const total = db.query<{ n: number }, []>('SELECT count(*) AS n FROM projects').get()?.n ?? 0;
  return { items, total, limit, offset };
}
