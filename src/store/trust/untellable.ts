// What sessions said that may not be told by itself any more: others must not say it in its place.
import type { Database } from 'bun:sqlite';
import { tellable } from './trusted.ts';

const MOST = 200;

/** The titles of what is hidden in the session of a summary, or in a session. */
export function listHiddenTitles(db: Database, { kind, id }: { kind: 'summary' | 'session'; id: number }): string[] {
  const session = kind === 'session' ? '?' : '(SELECT session_id FROM summaries WHERE id = ?)';
  return db
    .query<{ title: string }, [number]>(
      `SELECT title FROM observations WHERE session_id = ${session} AND hidden_at IS NOT NULL AND title IS NOT NULL`,
    )
    .all(id)
    .map(({ title }) => title);
}

/** The titles of the observations of these sessions that are hidden, wrong, superseded, distrusted or from outside. */
export function listUntellable(db: Database, sessionIds: number[]): { sessionId: number; title: string }[] {
  return db
    .query<{ sessionId: number; title: string }, [string, number]>(
      `SELECT o.session_id AS sessionId, o.title FROM observations o
       WHERE o.session_id IN (SELECT value FROM json_each(?)) AND o.title IS NOT NULL AND NOT ${tellable('o')} LIMIT ?`,
    )
    .all(JSON.stringify(sessionIds), MOST);
}
