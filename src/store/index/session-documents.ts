// The documents of a session, made again where they are missing or say something else than they should.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryRef } from '../../core/memory.ts';
import {
  indexWords,
  isCurrent,
  isIndexed,
  type Prepared,
  prepareDocument,
  remakeDocuments,
} from './remake-documents.ts';

export type Pace = {
  /** Counts only. */
  isDry: boolean;
  /** Called after each short transaction, with how long it took: whoever else writes comes first. */
  rest: (tookMs: number) => Promise<void>;
};

/** How many were missing in the index of words; these are there afterwards. */
export async function indexMissingWords(db: Database, sessionId: number, pace: Pace): Promise<number> {
  const wordless = listMemories(db, sessionId).filter((ref) => !isIndexed(db, ref));
  await inPieces(db, wordless, pace, (some) => indexWords(db, some));
  return wordless.length;
}

/** How many were not what they should be. */
export async function remakeStale(db: Database, sessionId: number, pace: Pace): Promise<number> {
  const stale = listMemories(db, sessionId).flatMap(({ at, ...ref }) => {
    const prepared = prepareDocument(db, ref);
    return isCurrent(db, prepared) ? [] : [{ ...prepared, at }];
  });
  await inPieces(db, listToMake(db, sessionId, stale), pace, (some) => remakeDocuments(db, some));
  return stale.length;
}

/** All documents of a session, in the order of time. */
export const documentAgain = (db: Database, sessionId: number, pace: Pace): Promise<void> =>
  inPieces(
    db,
    listMemories(db, sessionId).map((ref) => prepareDocument(db, ref)),
    pace,
    (some) => remakeDocuments(db, some),
  );

/** Some milliseconds: hooks wait no longer than that. */
const AT_ONCE = 16;

async function inPieces<T>(db: Database, all: T[], { isDry, rest }: Pace, write: (some: T[]) => void): Promise<void> {
  for (let at = 0; at < all.length && !isDry; at += AT_ONCE) {
    const started = performance.now();
    db.transaction(() => write(all.slice(at, at + AT_ONCE))).immediate();
    await rest(performance.now() - started);
  }
}

type Memory = MemoryRef & { at: number };

/** Neighbours are told by the order of documents: what was said later goes behind them again. */
function listToMake(db: Database, sessionId: number, stale: (Prepared & { at: number })[]): Prepared[] {
  if (stale.length === 0 || !isInOrder(db, sessionId)) return stale;
  const known = new Map(stale.map((one) => [formatRef(one.ref), one]));
  const from = Math.min(...stale.map(({ at }) => at));
  return listMemories(db, sessionId)
    .filter(({ at }) => at >= from)
    .map((ref) => known.get(formatRef(ref)) ?? prepareDocument(db, ref));
}

/** What was said by hand, and a commit, has nothing to do with the next. */
const isInOrder = (db: Database, sessionId: number): boolean =>
  db.query("SELECT 1 FROM sessions WHERE id = ? AND host NOT IN ('claude-mem','git')").get(sessionId) !== null;

/** In the order of time; at one moment a prompt comes before what was made of it, and a summary after. */
const listMemories = (db: Database, sessionId: number): Memory[] =>
  db
    .query<Memory, [number]>(
      `SELECT kind, id, at FROM (SELECT 'prompt' AS kind, id, session_id, created_at_epoch AS at FROM prompts
         UNION ALL SELECT 'observation', id, session_id, created_at_epoch FROM observations
         UNION ALL SELECT 'summary', id, session_id, created_at_epoch FROM summaries) m
       WHERE session_id = ? ORDER BY m.at, CASE m.kind WHEN 'prompt' THEN 1 WHEN 'observation' THEN 2 ELSE 3 END, m.id`,
    )
    .all(sessionId);
