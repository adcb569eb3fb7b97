// What an export is made of besides memories: projects, sessions, and what is said of them. Hidden memories are no part of it.
import type { Database } from 'bun:sqlite';
import type { CommitLine, DistrustedLine, ForgottenLine, ProjectLine, SessionLine } from '../../core/export.ts';
import type { MemoryRef } from '../../core/memory.ts';
import { isoTime } from '../time.ts';

export type ExportScope = {
  /** Null: of all projects. */
  projectId: number | null;
  /** Epoch ms. */
  since: number;
};

/** For SQL with `$projectId` and `$since`: a memory under this alias is part of it. */
const inScope = (alias: string) =>
  `($projectId IS NULL OR ${alias}.project_id = $projectId) AND ${alias}.created_at_epoch >= $since AND ${alias}.hidden_at IS NULL`;

const hasMemories = (table: string) =>
  `EXISTS (SELECT 1 FROM ${table} m WHERE m.session_id = s.id AND ${inScope('m')})`;

/** A session of another project belongs to it when a memory of this one was made in it. */
const SESSIONS = `((($projectId IS NULL OR s.project_id = $projectId) AND s.updated_at_epoch >= $since)
  OR ${hasMemories('observations')} OR ${hasMemories('summaries')})`;

/** How many rows there are to go through: for a bar, not for the header. */
export function countExportRows(db: Database, scope: ExportScope): number {
  const count = (table: string) =>
    db.query<{ n: number }, [ExportScope]>(`SELECT count(*) AS n FROM ${table} m WHERE ${inScope('m')}`).get(scope)
      ?.n ?? 0;
  const prompts =
    db
      .query<{ n: number }, [ExportScope]>(
        `SELECT count(*) AS n FROM prompts m JOIN sessions s ON s.id = m.session_id WHERE ${PROMPTS}`,
      )
      .get(scope)?.n ?? 0;
  return count('observations') + count('summaries') + prompts;
}

const PROMPTS =
  '($projectId IS NULL OR s.project_id = $projectId) AND m.created_at_epoch >= $since AND m.hidden_at IS NULL';

export function listExportProjects(db: Database, scope: ExportScope): ProjectLine[] {
  type Row = Omit<ProjectLine, 'kind' | 'isRenamed' | 'aliases'> & { id: number; isRenamed: number };
  const rows = db
    .query<Row, [ExportScope]>(
      `SELECT id, key, name, root, remote, first_commit AS firstCommit, is_renamed AS isRenamed, created_at AS at
       FROM projects WHERE $projectId IS NULL OR id = $projectId
         OR id IN (SELECT s.project_id FROM sessions s WHERE ${SESSIONS}) ORDER BY id`,
    )
    .all(scope);
  const aliases = db.query<{ key: string; at: string }, [number]>(
    'SELECT key, created_at AS at FROM project_aliases WHERE project_id = ? ORDER BY key',
  );
  return rows.map(({ id, key, name, root, remote, firstCommit, isRenamed, at }) => ({
    kind: 'project',
    key,
    name,
    root,
    remote,
    firstCommit,
    isRenamed: isRenamed === 1,
    aliases: aliases.all(id),
    at,
  }));
}

export type ExportSession = { id: number; line: SessionLine };

/** In the order of their ids, after this one. */
export function listExportSessions(db: Database, scope: ExportScope, after: number, limit: number): ExportSession[] {
  type Row = Omit<SessionLine, 'kind'> & { id: number; projectId: number };
  return db
    .query<Row, [ExportScope & { after: number; limit: number }]>(
      `SELECT s.id, s.project_id AS projectId, s.host_session_id AS session, s.host, p.key AS project, s.cwd, s.root, s.branch,
         s.title, s.subtitle, s.first_prompt AS firstPrompt, s.prompt_counter AS prompts, s.status, s.end_reason AS endReason,
         s.started_at AS startedAt, s.updated_at AS updatedAt, s.completed_at AS completedAt
       FROM sessions s JOIN projects p ON p.id = s.project_id WHERE s.id > $after AND ${SESSIONS} ORDER BY s.id LIMIT $limit`,
    )
    .all({ ...scope, after, limit })
    .map(({ id, projectId, ...row }) => {
      const isOther = scope.projectId !== null && projectId !== scope.projectId;
      // What it was about elsewhere is not this project's to tell.
      const words = isOther ? { title: null, subtitle: null, firstPrompt: null } : {};
      return { id, line: { kind: 'session', ...row, ...words } };
    });
}

/** Of one session, in the order of time; at one moment a prompt comes before what was made of it, and a summary after. */
export function listExportMemories(db: Database, scope: ExportScope, sessionId: number): MemoryRef[] {
  const of = (kind: MemoryRef['kind'], table: string, rank: number) =>
    `SELECT '${kind}' AS kind, m.id, m.created_at_epoch AS at, ${rank} AS rank FROM ${table} m
     WHERE m.session_id = $sessionId AND ${inScope('m')}`;
  return db
    .query<MemoryRef, [ExportScope & { sessionId: number }]>(
      `SELECT kind, id FROM (${of('observation', 'observations', 2)} UNION ALL ${of('summary', 'summaries', 3)}
         UNION ALL SELECT 'prompt', m.id, m.created_at_epoch, 1 FROM prompts m JOIN sessions s ON s.id = m.session_id
           WHERE m.session_id = $sessionId AND ${PROMPTS}) ORDER BY at, rank, id`,
    )
    .all({ ...scope, sessionId });
}

/** Of which there is no memory that is shown. */
export function listExportCommits(db: Database, scope: ExportScope, after: CommitPlace, limit: number) {
  return db
    .query<Pick<CommitLine, 'kind' | 'project'> & CommitRecord & CommitPlace, [Record<string, number | string | null>]>(
      `SELECT 'commit' AS kind, p.key AS project, c.hash, c.author_at_epoch AS atEpoch, c.reverts, c.is_own AS isOwn,
         c.is_routine AS isRoutine, c.project_id AS projectId
       FROM commits c JOIN projects p ON p.id = c.project_id LEFT JOIN observations o ON o.id = c.observation_id
       WHERE (c.project_id, c.hash) > ($afterProject, $afterHash) AND ($projectId IS NULL OR c.project_id = $projectId)
         AND c.author_at_epoch >= $since AND (o.id IS NULL OR o.hidden_at IS NOT NULL)
       ORDER BY c.project_id, c.hash LIMIT $limit`,
    )
    .all({
      projectId: scope.projectId,
      since: scope.since,
      afterProject: after.projectId,
      afterHash: after.hash,
      limit,
    })
    .map(({ kind, project, hash, atEpoch, projectId, ...row }) => ({
      place: { projectId, hash, atEpoch },
      line: { kind, project, hash, at: isoTime(atEpoch), ...fromCommitRow(row) },
    }));
}
/** What is kept of a commit beside its memory. */
export type CommitRecord = { reverts: string | null; isOwn: number | null; isRoutine: number };
export const fromCommitRow = ({ reverts, isOwn, isRoutine }: CommitRecord) => ({
  reverts,
  isOwn: isOwn === null ? null : isOwn === 1,
  isRoutine: isRoutine === 1,
});
export type CommitPlace = { projectId: number; hash: string; atEpoch: number };

export const listExportDistrusted = (db: Database): DistrustedLine[] =>
  db
    .query<DistrustedLine, []>("SELECT 'distrusted' AS kind, source, created_at AS at FROM distrusted ORDER BY source")
    .all();

/** After this one. */
export const listExportForgotten = (db: Database, after: { what: string; hash: string }, limit: number) =>
  db
    .query<ForgottenLine, [string, string, number]>(
      `SELECT 'forgotten' AS kind, t.kind AS what, t.hash, t.created_at AS at FROM tombstones t
       WHERE (t.kind, t.hash) > (?, ?) ORDER BY t.kind, t.hash LIMIT ?`,
    )
    .all(after.what, after.hash, limit);
