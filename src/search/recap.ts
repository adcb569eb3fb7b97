// What a recap is made of: the memories of a time, and what came after them.
import type { Database } from 'bun:sqlite';
import type { ObservationType, Outcome } from '../core/observation.ts';
import { isByOthers, isToldOf, standingCompleted } from '../memory/git-log.ts';
import { current, newestAbove, trustedSession } from '../memory/trusted.ts';
import { readAll, readFirst } from '../store/read.ts';

export type RecapRange = {
  /** Null: every project. */
  projectIds: number[] | null;
  /** Only what this one says: the newest of it, so that the cost does not grow with the session. */
  sessionId?: number;
  /** Epoch ms, both inclusive. */
  since: number;
  until: number;
};

/** The newest of so many: a recap of years is none. */
const MOST = 5000;
const MOST_OF_SESSION = 300;
const mostOf = ({ sessionId }: RecapRange) => (sessionId === undefined ? MOST : MOST_OF_SESSION);

type Place = {
  id: number;
  projectId: number;
  project: string;
  sessionId: number | null;
  turn: number | null;
  at: number;
};
const PLACE = `m.id, m.project_id AS projectId, p.name AS project, m.session_id AS sessionId, m.prompt_number AS turn,
  m.created_at_epoch AS at`;
const OF = 'JOIN projects p ON p.id = m.project_id';
const IN_RANGE = ({ projectIds, sessionId }: Pick<RecapRange, 'projectIds' | 'sessionId'>) =>
  `m.hidden_at IS NULL AND m.created_at_epoch BETWEEN $since AND $until ${sessionId === undefined ? '' : 'AND m.session_id = $sessionId'}
   ${projectIds ? `AND ${sessionId === undefined ? '' : '+'}m.project_id IN (SELECT value FROM json_each($projects))` : ''}`;

export type RecapObservation = Place & {
  type: ObservationType;
  title: string;
  outcome: Outcome | null;
  isCommit: number;
  isByOthers: number;
};

/** Oldest first, without what may not be told: replaced, wrong, from outside; nor a commit that a session tells of. */
export function listRecapObservations(db: Database, range: RecapRange): RecapObservation[] {
  const sql = `SELECT ${PLACE}, m.type, m.title, m.outcome, m.origin = 'commit' AS isCommit,
      ${isByOthers('m')} AS isByOthers FROM observations m ${OF}
    WHERE ${IN_RANGE(range)} AND ${current('m')} AND m.title IS NOT NULL
      AND NOT (m.origin = 'commit' AND ${isToldOf('m')})
    ORDER BY m.created_at_epoch DESC, m.id DESC LIMIT ${mostOf(range)}`;
  return readAll<RecapObservation>(db, sql, valuesOf(range)).reverse();
}

export type RecapSummary = Place & { completed: string | null; nextSteps: string | null };

/** Oldest first. */
export function listRecapSummaries(db: Database, range: RecapRange): RecapSummary[] {
  const sql = `SELECT ${PLACE}, ${standingCompleted('m')} AS completed, m.next_steps AS nextSteps FROM summaries m ${OF}
    WHERE ${IN_RANGE(range)} AND ${newestAbove('m.id', "'summary'")} IS NULL AND ${trustedSession('m.session_id')}
    ORDER BY m.created_at_epoch DESC, m.id DESC LIMIT ${mostOf(range)}`;
  return readAll<RecapSummary>(db, sql, valuesOf(range)).reverse();
}

/** When something was last remembered before a moment; null when nothing was. */
export function lastWorkBefore(db: Database, projectIds: number[] | null, before: number): number | null {
  const last = (table: string) => `SELECT * FROM (SELECT m.created_at_epoch AS at FROM ${table} m ${OF}
    WHERE ${IN_RANGE({ projectIds })} AND m.session_id IS NOT NULL ORDER BY m.created_at_epoch DESC LIMIT 1)`;
  return (
    readFirst<{ at: number | null }>(
      db,
      `SELECT max(at) AS at FROM (${last('observations')} UNION ALL ${last('summaries')})`,
      valuesOf({ projectIds, since: 0, until: before - 1 }),
    )?.at ?? null
  );
}

type Values = Record<string, number | string>;

const valuesOf = ({ projectIds, sessionId, since, until }: RecapRange): Values => ({
  since,
  until,
  ...(sessionId === undefined ? {} : { sessionId }),
  ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}),
});
