// What may have come from outside a while ago: pages, answers of unknown tools, commands. Whoever asks looks closer.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../../core/event.ts';

/** So many are looked through, and so many given: a long session has thousands of tool uses. */
const REACH = 2000;
const MOST = 100;

const FROM_WEB = `instr(payload, '"type":"web"') > 0 OR instr(payload, '"type":"other"') > 0`;

type Row = { payload: string };

export type OlderQuery = {
  sessionId: number;
  /** The turn. */
  first: number;
  last: number;
  /** So many tools before the turn are known anyway. */
  known: number;
};

/** Of one session before a turn, and what of the turn itself no observer looks at; oldest first. Payloads that were let go are gone. */
export function listOlderOutside(db: Database, query: OlderQuery): SessionEvent[] {
  const tools = "FROM events WHERE session_id = $sessionId AND kind = 'tool' AND payload IS NOT NULL";
  return db
    .query<Row, [OlderQuery]>(
      `SELECT payload FROM (
         SELECT * FROM (SELECT payload, seq ${tools} AND (status = 'done' OR batch_id IS NOT NULL) AND seq < $first
           ORDER BY seq DESC LIMIT ${REACH} OFFSET $known)
         UNION ALL
         SELECT * FROM (SELECT payload, seq ${tools} AND status = 'skipped' AND seq <= $last ORDER BY seq DESC LIMIT ${REACH}))
       WHERE ${FROM_WEB} ORDER BY seq DESC LIMIT ${MOST}`,
    )
    .all(query)
    .map(fromRow)
    .reverse();
}

/** Of all sessions of a project, or of all projects, with what the users said meanwhile: oldest first, distilled or not. */
export function listRecentWords(db: Database, query: { projectId: number | null; since: number }): SessionEvent[] {
  return db
    .query<Row, [typeof query]>(
      `SELECT payload FROM (
         SELECT e.payload, e.kind, e.seq FROM events e JOIN sessions s ON s.id = e.session_id
         WHERE e.created_at_epoch >= $since AND e.payload IS NOT NULL AND e.kind IN ('tool','prompt')
           AND ($projectId IS NULL OR s.project_id = $projectId) ORDER BY e.seq DESC LIMIT ${REACH})
       WHERE kind = 'prompt' OR ${FROM_WEB} OR instr(payload, '"type":"command"') > 0 ORDER BY seq DESC LIMIT ${4 * MOST}`,
    )
    .all(query)
    .map(fromRow)
    .reverse();
}

/** The same with all that was done, for whoever wants to know what bears something out: oldest first. */
export const listLatestEvents = (db: Database, query: { projectId: number | null; since: number }): SessionEvent[] =>
  db
    .query<Row, [typeof query]>(
      `SELECT e.payload FROM events e JOIN sessions s ON s.id = e.session_id
       WHERE e.created_at_epoch >= $since AND e.payload IS NOT NULL AND e.kind IN ('tool','prompt')
         AND ($projectId IS NULL OR s.project_id = $projectId) ORDER BY e.seq DESC LIMIT ${4 * MOST}`,
    )
    .all(query)
    .map(fromRow)
    .reverse();

// Written by insertEvent and nobody else.
const fromRow = ({ payload }: Row) => JSON.parse(payload) as SessionEvent;
