// What sessions said that may not be told by itself any more: others must not say it in its place.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { holds, tellable } from './trusted.ts';

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

export type Untold = {
  sessionId: number;
  /** Of what is hidden, wrong, replaced, distrusted or from outside. */
  titles: string[];
  /** What else the same say, but for what is only replaced: that was so, and much of it may still be. */
  details: string[];
  /** What those of the session say that may be told; rarely asked for. */
  readLiving: () => string[];
};

/** Of these sessions the ones that said something of the kind. */
export function listUntold(db: Database, sessionIds: number[]): Untold[] {
  const gone = Map.groupBy(listSayings(db, sessionIds, `NOT ${tellable('o')}`), ({ sessionId }) => sessionId);
  return [...gone].map(([sessionId, rows]) => ({
    sessionId,
    titles: rows.flatMap(({ title }) => title ?? []),
    details: rows.filter(({ isHeld }) => isHeld === 0).flatMap(detailsOf),
    readLiving: () =>
      listSayings(db, [sessionId], tellable('o')).flatMap((row) => [
        ...(row.title ? [row.title] : []),
        ...detailsOf(row),
      ]),
  }));
}

type Saying = { sessionId: number; isHeld: number; facts: string } & Record<
  'title' | 'subtitle' | 'narrative',
  string | null
>;

const listSayings = (db: Database, sessionIds: number[], where: string) =>
  db
    .query<Saying, [string, number]>(
      `SELECT o.session_id AS sessionId, o.title, o.subtitle, o.narrative, ${holds('o')} AS isHeld,
         CASE WHEN json_valid(o.facts) THEN o.facts ELSE '[]' END AS facts FROM observations o
       WHERE o.session_id IN (SELECT value FROM json_each(?)) AND ${where} ORDER BY o.id DESC LIMIT ?`,
    )
    .all(JSON.stringify(sessionIds), MOST);

const Facts = z.array(z.object({ text: z.string() })).catch([]);

const detailsOf = ({ subtitle, narrative, facts }: Saying) =>
  [subtitle, narrative, ...Facts.parse(JSON.parse(facts)).map(({ text }) => text)].flatMap((text) => text ?? []);
