// What is derived from records, made again: turn by turn, session by session. What is as it should be stays, with its id.
import type { Database } from 'bun:sqlite';
import { indexMissingWords, type Pace, remakeStale } from '../store/index/session-documents.ts';
import type { TurnPlace } from '../turns/turns.ts';
import { type Derived, deriveTurn } from './derive.ts';
import { createTurnReader } from './settle.ts';

export type Rebuilt = Derived & {
  /** Those with a record. */
  turns: number;
  /** Missing, or not what they should be. */
  documents: number;
  /** Observations and summaries of turns without a record: nothing of them is touched but their documents. */
  withoutRecord: number;
};

/** Killed at any point and done again, it leaves the same rows. */
export async function rebuildSession(db: Database, sessionId: number, pace: Pace): Promise<Rebuilt> {
  const wordless = await indexMissingWords(db, sessionId, pace);
  const turns = listPlaces(db, sessionId);
  const derived = await deriveAll(db, turns, pace);
  const stale = await remakeStale(db, sessionId, pace);
  const withoutRecord = countWithoutRecord(db, sessionId);
  return { turns: turns.length, documents: wordless + stale, withoutRecord, ...derived };
}

/** Each takes a few milliseconds. */
const DERIVED_AT_ONCE = 6;

/** In the order they happened: each is judged by what came before it. A dry run does it, and takes it back. */
async function deriveAll(db: Database, turns: TurnPlace[], { isDry, rest }: Pace): Promise<Derived> {
  const sum: Derived = { made: 0, gone: 0 };
  const read = createTurnReader(db);
  for (let at = 0; at < turns.length; at += DERIVED_AT_ONCE) {
    const started = performance.now();
    db.run('BEGIN IMMEDIATE');
    try {
      for (const turn of turns.slice(at, at + DERIVED_AT_ONCE)) {
        const { made, gone } = deriveTurn(db, turn, read);
        sum.made += made;
        sum.gone += gone;
      }
      db.run(isDry ? 'ROLLBACK' : 'COMMIT');
    } catch (error) {
      db.run('ROLLBACK');
      throw error;
    }
    await rest(performance.now() - started);
  }
  return sum;
}

const listPlaces = (db: Database, sessionId: number): TurnPlace[] =>
  db
    .query<TurnPlace, [number]>(
      'SELECT session_id AS sessionId, prompt_number AS promptNumber FROM turns WHERE session_id = ? ORDER BY prompt_number',
    )
    .all(sessionId);

/** Made of what was done in a turn; a commit or what was said by hand is not. */
const countWithoutRecord = (db: Database, sessionId: number): number =>
  db
    .query<{ count: number }, [number]>(
      `SELECT count(*) AS count FROM (SELECT session_id, prompt_number FROM observations
         UNION ALL SELECT session_id, prompt_number FROM summaries) m JOIN sessions s ON s.id = m.session_id
       WHERE m.session_id = ? AND s.host NOT IN ('git','claude-mem') AND NOT EXISTS (SELECT 1 FROM turns t
         WHERE t.session_id = m.session_id AND t.prompt_number = m.prompt_number)`,
    )
    .get(sessionId)?.count ?? 0;
