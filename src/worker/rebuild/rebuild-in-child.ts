// What an importing process does of a rebuild: a session or a few at a time, in short transactions.
import type { Database } from 'bun:sqlite';
import { TRANSCRIPT_HOSTS } from '../../hosts/transcripts.ts';
import { type Rebuilt, rebuildSession } from '../../observe/rebuild.ts';
import { isSound, rebuildTable, WORD_TABLES } from '../../store/index/check-words.ts';
import { documentAgain, type Pace } from '../../store/index/session-documents.ts';
import type { ImportNews, RebuildOrder } from '../import/wire.ts';
import { recordSession } from './record-session.ts';

export async function rebuildInChild(db: Database, order: RebuildOrder): Promise<ImportNews> {
  switch (order.kind) {
    case 'words':
      return checkWords(db, order.isDry);
    case 'records':
      return record(db, order);
    case 'rebuild':
      return { kind: 'rebuilt', ...(await rebuildAll(db, order.sessions, order.isDry)) };
  }
}

/** One statement of SQLite's for each: nobody else writes meanwhile, and hooks spool. Only where there is no other way. */
function checkWords(db: Database, isDry: boolean): ImportNews {
  const broken = WORD_TABLES.filter((table) => !isSound(db, table));
  if (!isDry) for (const table of broken) rebuildTable(db, table);
  return { kind: 'words', isSound: broken.length === 0 };
}

async function record(db: Database, order: Extract<RebuildOrder, { kind: 'records' }>): Promise<ImportNews> {
  const host = TRANSCRIPT_HOSTS.find(({ name }) => name === order.host) ?? TRANSCRIPT_HOSTS[0];
  if (!host) return { kind: 'failed', error: `no host is called ${order.host}` };
  const { sessionId, records, forgotten } = recordSession(db, { ...order, host });
  // Each record brought its own document, behind all that was there: in their order they tell what stands beside what.
  if (sessionId !== null && records > 0) await documentAgain(db, sessionId, paceOf(order.isDry));
  return { kind: 'recorded', records, forgotten };
}

async function rebuildAll(db: Database, sessions: number[], isDry: boolean): Promise<Rebuilt> {
  const sum: Rebuilt = { turns: 0, documents: 0, withoutRecord: 0, made: 0, gone: 0 };
  for (const id of sessions) {
    const one = await rebuildSession(db, id, paceOf(isDry));
    sum.turns += one.turns;
    sum.documents += one.documents;
    sum.withoutRecord += one.withoutRecord;
    sum.made += one.made;
    sum.gone += one.gone;
  }
  return sum;
}

const LONGEST_REST_MS = 20;

/** Whoever else writes gets in between: SQLite lets one process after the other, but in no order. Without its worker it ends: the next one has a process of its own. */
const paceOf = (isDry: boolean): Pace => ({
  isDry,
  rest: (tookMs) => {
    if (process.send && !process.connected) throw new Error('the worker that asked for this is gone');
    return Bun.sleep(Math.min(tookMs / 4, LONGEST_REST_MS));
  },
});
