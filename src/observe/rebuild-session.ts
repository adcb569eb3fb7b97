// What an importing process does of a rebuild: a session or a few at a time, in short transactions.
import type { Database } from 'bun:sqlite';
import { AGENTS } from '../agents/agents.ts';
import type { ImportNews, RebuildOrder } from '../import/process.ts';
import { findBrokenWords, type Pace, rebuildWords, remakeDocuments } from '../store/documents.ts';
import { readAll, readFirst } from '../store/read.ts';
import { recordSession } from '../turns/record-session.ts';
import type { TurnPlace } from '../turns/turns.ts';
import { deriveTurn } from './derive.ts';
import { createTurnReader } from './settle.ts';

export async function rebuildInChild(db: Database, order: RebuildOrder): Promise<ImportNews> {
  if (order.kind === 'words') return checkWords(db, order.isDry);
  if (order.kind === 'records') return record(db, order);
  const sum = { ...NOTHING };
  const pace = paceOf(order.isDry);
  for (const id of order.sessions) {
    const one = id === null ? { ...NOTHING, documents: await remakeDocuments(db, null, pace) } : await rebuildSession(db, id, pace);
    for (const key of Object.keys(sum) as (keyof Rebuilt)[]) sum[key] += one[key];
  }
  return { kind: 'rebuilt', ...sum };
}

/** One statement of SQLite's for each: nobody else writes meanwhile, and hooks spool. Only where there is no other way. */
function checkWords(db: Database, isDry: boolean): ImportNews {
  const broken = findBrokenWords(db);
  if (!isDry) rebuildWords(db, broken);
  return { kind: 'words', isSound: broken.length === 0 };
}

async function record(db: Database, order: Extract<RebuildOrder, { kind: 'records' }>): Promise<ImportNews> {
  const host = AGENTS.find(({ name }) => name === order.host) ?? AGENTS[0];
  if (!host) return { kind: 'failed', error: `no host is called ${order.host}` };
  const { sessionId, records, forgotten } = recordSession(db, { ...order, host });
  // Each record brought its own document, behind all that was there: in their order they tell what stands beside what.
  if (sessionId !== null && records > 0) await remakeDocuments(db, sessionId, paceOf(order.isDry), true);
  return { kind: 'recorded', records, forgotten };
}

const LONGEST_REST_MS = 20;

/**
 * Whoever else writes gets in between: SQLite lets one process after the other, but in no order. Without its worker it
 * ends: the next one has a process of its own.
 */
const paceOf = (isDry: boolean): Pace => ({
  isDry,
  rest: (tookMs) => {
    if (process.send && !process.connected) throw new Error('the worker that asked for this is gone');
    return Bun.sleep(Math.min(tookMs / 4, LONGEST_REST_MS));
  },
});

/**
 * `turns`: those with a record. `documents`: missing, or not what they should be. `withoutRecord`: observations and summaries of turns
 * without a record, of which nothing is touched but their documents. `made`, `gone`: observations.
 */
export type Rebuilt = Record<'turns' | 'documents' | 'withoutRecord' | 'made' | 'gone', number>;

const NOTHING: Rebuilt = { turns: 0, documents: 0, withoutRecord: 0, made: 0, gone: 0 };

/** Each takes a few milliseconds. */
const DERIVED_AT_ONCE = 6;

/** In the order they happened: each is judged by what came before it. Killed at any point and done again, it leaves the same rows. */
async function rebuildSession(db: Database, sessionId: number, pace: Pace): Promise<Rebuilt> {
  const turns = listPlaces(db, sessionId);
  const read = createTurnReader(db);
  const sum = { made: 0, gone: 0 };
  for (let at = 0; at < turns.length; at += DERIVED_AT_ONCE) {
    const started = performance.now();
    const derive = () => {
      for (const turn of turns.slice(at, at + DERIVED_AT_ONCE)) {
        const { made, gone } = deriveTurn(db, turn, read);
        sum.made += made;
        sum.gone += gone;
      }
    };
    inTransaction(db, derive, pace.isDry);
    await pace.rest(performance.now() - started);
  }
  const documents = await remakeDocuments(db, sessionId, pace);
  return { turns: turns.length, documents, withoutRecord: countWithoutRecord(db, sessionId), ...sum };
}

/** A dry run does it, and takes it back. */
function inTransaction(db: Database, work: () => void, isDry: boolean): void {
  db.run('BEGIN IMMEDIATE');
  try {
    work();
    db.run(isDry ? 'ROLLBACK' : 'COMMIT');
  } catch (error) {
    // A full disk has taken it back already, and would not be named.
    if (db.inTransaction) db.run('ROLLBACK');
    throw error;
  }
}

const listPlaces = (db: Database, sessionId: number): TurnPlace[] => {
  const sql = 'SELECT session_id AS sessionId, prompt_number AS promptNumber FROM turns WHERE session_id = ? ORDER BY prompt_number';
  return readAll<TurnPlace>(db, sql, sessionId);
};

const countWithoutRecord = (db: Database, sessionId: number): number => {
  const sql = `SELECT count(*) AS count FROM (SELECT session_id, prompt_number FROM observations
      UNION ALL SELECT session_id, prompt_number FROM summaries) m
    WHERE m.session_id = ? AND NOT EXISTS (SELECT 1 FROM turns t
      WHERE t.session_id = m.session_id AND t.prompt_number = m.prompt_number)`;
  return readFirst<{ count: number }>(db, sql, sessionId)?.count ?? 0;
};
