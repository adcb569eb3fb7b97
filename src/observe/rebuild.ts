// What is derived from records, made again: turn by turn, session by session. What is as it should be stays, with its id.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import {
  indexWords,
  isCurrent,
  isIndexed,
  type Prepared,
  prepareDocument,
  remakeDocuments,
} from '../store/index/remake-documents.ts';
import type { TurnPlace } from '../turns/turns.ts';
import { type Derived, deriveTurn } from './derive.ts';
import { createTurnReader } from './settle.ts';

export type Pace = {
  /** Counts only. */
  isDry: boolean;
  /** Called after each short transaction, with how long it took: whoever else writes comes first. */
  rest: (tookMs: number) => Promise<void>;
};

export type Rebuilt = {
  /** Those with a record. */
  turns: number;
  /** Missing, or not what they should be. */
  documents: number;
  /** Observations and summaries of turns without a record: nothing of them is touched but their documents. */
  withoutRecord: number;
  /** Observations that the rules make now and did not make before, and those that they make no more. */
  made: number;
  gone: number;
};

/** Killed at any point and done again, it leaves the same rows. */
export async function rebuildSession(db: Database, sessionId: number, pace: Pace): Promise<Rebuilt> {
  const wordless = listFrom(db, sessionId, Number.NEGATIVE_INFINITY).filter((ref) => !isIndexed(db, ref));
  await inPieces(db, wordless, pace, (some) => indexWords(db, some));
  const turns = listPlaces(db, sessionId);
  const others = listWithoutRecord(db, sessionId);
  const derived = await deriveAll(db, turns, pace);
  const stale = [...turns.flatMap((turn) => findStale(db, listMemories(db, turn))), ...findStale(db, others)];
  await inPieces(db, listToMake(db, sessionId, stale), pace, (some) => remakeDocuments(db, some));
  const withoutRecord = others.filter(({ isOfTurn }) => isOfTurn).length;
  return { turns: turns.length, documents: wordless.length + stale.length, withoutRecord, ...derived };
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

/** All documents of a session, in the order of time. */
export const documentAgain = (db: Database, sessionId: number, pace: Pace): Promise<void> => {
  const all = listFrom(db, sessionId, Number.NEGATIVE_INFINITY);
  return inPieces(
    db,
    all.map((ref) => prepareDocument(db, ref)),
    pace,
    (some) => remakeDocuments(db, some),
  );
};

type Memory = MemoryRef & { at: number };
type Stale = Prepared & { at: number };

const findStale = (db: Database, memories: Memory[]): Stale[] =>
  memories.flatMap(({ at, ...ref }) => {
    const prepared = prepareDocument(db, ref);
    return isCurrent(db, prepared) ? [] : [{ ...prepared, at }];
  });

/** Some milliseconds: hooks wait no longer than that. */
const AT_ONCE = 16;

async function inPieces<T>(db: Database, all: T[], { isDry, rest }: Pace, write: (some: T[]) => void): Promise<void> {
  for (let at = 0; at < all.length && !isDry; at += AT_ONCE) {
    const started = performance.now();
    db.transaction(() => write(all.slice(at, at + AT_ONCE))).immediate();
    await rest(performance.now() - started);
  }
}

/** Neighbours are told by the order of documents: what was said later goes behind them again. */
function listToMake(db: Database, sessionId: number, stale: Stale[]): Prepared[] {
  if (stale.length === 0 || !isInOrder(db, sessionId)) return stale;
  const known = new Map(stale.map((one) => [formatRef(one.ref), one]));
  const from = listFrom(db, sessionId, Math.min(...stale.map(({ at }) => at)));
  return from.map((ref) => known.get(formatRef(ref)) ?? prepareDocument(db, ref));
}

/** What was said by hand, and a commit, has nothing to do with the next. */
const isInOrder = (db: Database, sessionId: number): boolean =>
  db.query("SELECT 1 FROM sessions WHERE id = ? AND host NOT IN ('claude-mem','git')").get(sessionId) !== null;

const listPlaces = (db: Database, sessionId: number): TurnPlace[] =>
  db
    .query<TurnPlace, [number]>(
      'SELECT session_id AS sessionId, prompt_number AS promptNumber FROM turns WHERE session_id = ? ORDER BY prompt_number',
    )
    .all(sessionId);

const MEMORIES = `SELECT 'prompt' AS kind, id, session_id, prompt_number, created_at_epoch AS at FROM prompts
  UNION ALL SELECT 'observation', id, session_id, prompt_number, created_at_epoch FROM observations
  UNION ALL SELECT 'summary', id, session_id, prompt_number, created_at_epoch FROM summaries`;
/** At one moment a prompt comes before what was made of it, and a summary after. */
const IN_ORDER = "m.at, CASE m.kind WHEN 'prompt' THEN 1 WHEN 'observation' THEN 2 ELSE 3 END, m.id";

const listMemories = (db: Database, { sessionId, promptNumber }: TurnPlace): Memory[] =>
  db
    .query<Memory, [number, number]>(
      `SELECT kind, id, at FROM (${MEMORIES}) m WHERE session_id = ? AND prompt_number = ? ORDER BY ${IN_ORDER}`,
    )
    .all(sessionId, promptNumber);

const listFrom = (db: Database, sessionId: number, from: number): Memory[] =>
  db
    .query<Memory, [number, number]>(
      `SELECT kind, id, at FROM (${MEMORIES}) m WHERE session_id = ? AND at >= ? ORDER BY ${IN_ORDER}`,
    )
    .all(sessionId, from);

type Other = Memory & { isOfTurn: number };

/** `isOfTurn`: made of what was done in a turn; a prompt, a commit or what was said by hand is not. */
const listWithoutRecord = (db: Database, sessionId: number): Other[] =>
  db
    .query<Other, [number]>(
      `SELECT m.kind, m.id, m.at, m.kind <> 'prompt' AND s.host NOT IN ('git','claude-mem') AS isOfTurn
       FROM (${MEMORIES}) m JOIN sessions s ON s.id = m.session_id
       WHERE m.session_id = ? AND NOT EXISTS (SELECT 1 FROM turns t
         WHERE t.session_id = m.session_id AND t.prompt_number = m.prompt_number) ORDER BY ${IN_ORDER}`,
    )
    .all(sessionId);
