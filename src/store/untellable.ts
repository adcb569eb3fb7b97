// What sessions said that may not be told by itself any more: others must not say it in its place.
import type { Database } from 'bun:sqlite';
import { tellable } from './trusted.ts';

const MOST = 200;

/** The titles of the observations of these sessions that are hidden, wrong, superseded, distrusted or from outside. */
export function listUntellable(db: Database, sessionIds: number[]): { sessionId: number; title: string }[] {
  return db
    .query<{ sessionId: number; title: string }, [string, number]>(
      `SELECT o.session_id AS sessionId, o.title FROM observations o
       WHERE o.session_id IN (SELECT value FROM json_each(?)) AND o.title IS NOT NULL AND NOT ${tellable('o')} LIMIT ?`,
    )
    .all(JSON.stringify(sessionIds), MOST);
}
