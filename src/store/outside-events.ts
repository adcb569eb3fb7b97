// What may have come from outside a while ago: pages, answers of unknown tools, commands. Whoever asks looks closer.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';

/** So many are looked through, and so many given: a long session has thousands of tool uses. */
const REACH = 2000;
const MOST = 100;

const FROM_WEB = `instr(payload, '"type":"web"') > 0 OR instr(payload, '"type":"other"') > 0`;

type Row = { payload: string };

/** Of one session before an event, oldest first, without the `newest` tools. Payloads that were used and let go are gone. */
export function listOlderOutside(
  db: Database,
  query: { sessionId: number; before: number; newest: number },
): SessionEvent[] {
  return db
    .query<Row, [typeof query]>(
      `SELECT payload FROM (
         SELECT payload, seq FROM events
         WHERE session_id = $sessionId AND kind = 'tool' AND (status = 'done' OR batch_id IS NOT NULL)
           AND payload IS NOT NULL AND seq < $before ORDER BY seq DESC LIMIT ${REACH} OFFSET $newest)
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

// Written by insertEvent and nobody else.
const fromRow = ({ payload }: Row) => JSON.parse(payload) as SessionEvent;
