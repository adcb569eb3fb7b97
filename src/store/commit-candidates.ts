// Which commits a starting session may be told of: what was decided in them, what touches the files at hand, what happened meanwhile.
import type { Database } from 'bun:sqlite';
import { tellable } from './trusted.ts';

/** For SQL over a commit under this alias: a session's own memory tells of the same change. */
export const isToldOf = (alias: string) => `EXISTS (SELECT 1 FROM observations told
  WHERE told.project_id = ${alias}.project_id AND told.commit_hash = ${alias}.commit_hash AND told.origin <> 'commit'
    AND told.hidden_at IS NULL AND told.wrong_at IS NULL)`;

export type CommitQuery = {
  projectId: number;
  /** Only what was written after this moment, epoch ms. */
  since: number;
  limit: number;
};

/** So many of the newest are looked at: the cost does not grow with the store. */
const AMONG = 600;

/** Ids of observations, newest first. */
export const listDecidedCommits = (db: Database, query: CommitQuery): number[] =>
  list(db, query, `o.type = 'decision' AND ${NEWEST}`);

export const listNewCommits = (db: Database, query: CommitQuery): number[] => list(db, query, NEWEST);

export const listCommitsOf = (db: Database, { paths, ...query }: CommitQuery & { paths: string[] }): number[] =>
  list(
    db,
    { ...query, paths: JSON.stringify(paths) },
    `o.id IN (SELECT observation_id FROM citations WHERE project_id = $projectId
       AND path IN (SELECT value FROM json_each($paths)) ORDER BY observation_id DESC LIMIT ${AMONG})`,
  );

const NEWEST = `o.id IN (SELECT observation_id FROM commits WHERE project_id = $projectId AND observation_id IS NOT NULL
  AND author_at_epoch > $since ORDER BY author_at_epoch DESC LIMIT ${AMONG})`;

const list = (db: Database, query: CommitQuery & { paths?: string }, which: string): number[] =>
  db
    .query<{ id: number }, [CommitQuery & { paths?: string }]>(
      `SELECT o.id FROM observations o
       WHERE +o.project_id = $projectId AND o.created_at_epoch > $since AND o.origin = 'commit' AND ${which}
         AND ${tellable('o')} AND NOT ${isToldOf('o')}
       ORDER BY o.created_at_epoch DESC, o.id DESC LIMIT $limit`,
    )
    .all(query)
    .map(({ id }) => id);

/** When a session of the project was last at work, but for one; null when none was. */
export const lastWorkedAt = (db: Database, projectId: number, exceptSession: number): number | null =>
  db
    .query<{ at: number | null }, [number, number]>(
      `SELECT max(updated_at_epoch) AS at FROM sessions WHERE project_id = ? AND id <> ? AND host NOT IN ('git','claude-mem')`,
    )
    .get(projectId, exceptSession)?.at ?? null;
