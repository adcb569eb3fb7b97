// Which commits a starting session may be told of: what was decided in them, what touches the files at hand, what came meanwhile.
import type { Database } from 'bun:sqlite';
import { tellable } from '../trust/trusted.ts';
import { isRoutineCommit } from './commits.ts';

/** For SQL over a commit under this alias: a session's own memory tells of the same change. */
export const isToldOf = (alias: string) => `EXISTS (SELECT 1 FROM observations told
  WHERE told.project_id = ${alias}.project_id AND told.commit_hash = ${alias}.commit_hash AND told.origin <> 'commit'
    AND told.hidden_at IS NULL AND told.wrong_at IS NULL)`;

export type CommitQuery = {
  projectId: number;
  /** Only what came after this moment, epoch ms; 0 for all. */
  since: number;
  limit: number;
};

/** So many of the newest are looked at: the cost does not grow with the store. */
const AMONG = 600;
/** What a session commits last is read in the moments after it. */
const AFTER_MS = 60_000;

/** Ids of observations, newest first; pitfalls, too. */
export const listDecidedCommits = (db: Database, query: CommitQuery): number[] =>
  list(db, query, `${DECIDED} AND ${NEWEST}`);

/** Those that say why come first, then those that say more than their subject. */
export const listNewCommits = (db: Database, query: CommitQuery): number[] =>
  list(db, query, NEWS, `${DECIDED} DESC, o.narrative IS NOT NULL DESC,`);

export const listCommitsOf = (db: Database, { paths, ...query }: CommitQuery & { paths: string[] }): number[] =>
  list(
    db,
    { ...query, paths: JSON.stringify(paths) },
    `o.id IN (SELECT observation_id FROM citations WHERE project_id = $projectId
       AND path IN (SELECT value FROM json_each($paths)) ORDER BY observation_id DESC LIMIT ${AMONG})`,
  );

const DECIDED = `(o.type = 'decision' OR instr(o.concepts, '"gotcha"') > 0)`;

const NEWEST = `o.id IN (SELECT observation_id FROM commits WHERE project_id = $projectId AND observation_id IS NOT NULL
  ORDER BY author_at_epoch DESC LIMIT ${AMONG})`;

/** Pulled or written after the moment. What was there when the log was first read is no news, whenever it was written. */
const IS_NEW = `read_at_epoch > 0 AND (read_at_epoch > $since + ${AFTER_MS} OR author_at_epoch > $since)`;
const NEWS = `o.id IN (SELECT observation_id FROM commits WHERE project_id = $projectId AND observation_id IS NOT NULL AND ${IS_NEW}
  ORDER BY read_at_epoch DESC, author_at_epoch DESC LIMIT ${AMONG})`;

const list = (db: Database, query: CommitQuery & { paths?: string }, which: string, order = ''): number[] =>
  db
    .query<{ id: number }, [CommitQuery & { paths?: string }]>(
      `SELECT o.id FROM observations o
       WHERE +o.project_id = $projectId AND o.origin = 'commit' AND ${which} AND ($since = 0 OR ${NEWS})
         AND ${tellable('o')} AND NOT ${isToldOf('o')} AND NOT ${isRoutineCommit('o')}
       ORDER BY ${order} o.created_at_epoch DESC, o.id DESC LIMIT $limit`,
    )
    .all(query)
    .map(({ id }) => id);

export type CommitCount = { all: number; routine: number };

/** How many came after a moment: also those of which nothing is told. */
export function countNewCommits(db: Database, query: Omit<CommitQuery, 'limit'>): CommitCount {
  const row = db
    .query<CommitCount, [Omit<CommitQuery, 'limit'>]>(
      `SELECT count(*) AS "all", coalesce(sum(is_routine), 0) AS routine
       FROM (SELECT is_routine FROM commits WHERE project_id = $projectId AND ${IS_NEW}
         AND (observation_id IS NOT NULL OR is_routine = 1))`,
    )
    .get(query);
  return row ?? { all: 0, routine: 0 };
}

/** When a session of the project was last at work, but for one; null when none was. */
export const lastWorkedAt = (db: Database, projectId: number, exceptSession: number): number | null =>
  db
    .query<{ at: number | null }, [number, number]>(
      `SELECT max(updated_at_epoch) AS at FROM sessions WHERE project_id = ? AND id <> ? AND host NOT IN ('git','claude-mem')`,
    )
    .get(projectId, exceptSession)?.at ?? null;
