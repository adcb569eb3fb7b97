// An importing process (dist/importer.js): takes or rebuilds one session after the other, at low priority, and ends with the worker.
import type { Database } from 'bun:sqlite';
import { AGENTS } from '../agents/agents.ts';
import { expirePayloads } from '../capture/events.ts';
import { createPlaceOf } from '../capture/other-repositories.ts';
import { findTurnEnd, peekTurn } from '../capture/queue.ts';
import { findSession } from '../capture/sessions.ts';
import { takeSession } from '../capture/take-session.ts';
import { reply, serveOrders, stepBack } from '../child-program.ts';
import { isWorthAsking } from '../model/rules-stand.ts';
import { settleNew } from '../observe/derive.ts';
import { createReadEvidence } from '../observe/evidence.ts';
import { observeBatch } from '../observe/observe.ts';
import { type ProcessDeps, processTurn } from '../observe/process-turn.ts';
import { rebuildInChild } from '../observe/rebuild-session.ts';
import { createIsForeign } from '../projects/foreign.ts';
import { hasModelBatches } from '../store/batches.ts';
import { count } from '../store/counters.ts';
import { openStore } from '../store/open.ts';
import { readValue } from '../store/read.ts';
import { undoImport } from './import-rows.ts';
import type { ImportNews, ImportOrder } from './process.ts';
import { createFindKnown } from './same-memory.ts';

/** In this bundle because it remembers past turns, too; whoever asks for it loads it and waits. */
export { replayPast } from './benefit.ts';

/** Nobody waits for this process, but hooks may wait for its transactions. */
const SLICE = { events: 400, bytes: 1024 * 1024 };
/** The bar moves now and then. */
const TELL_BYTES = 1024 * 1024;

if (import.meta.main) serve();

function serve(): void {
  stepBack();
  let store: Store | null = null;
  serveOrders(async (order: ImportOrder): Promise<ImportNews> => {
    if (order.kind === 'begin') {
      store = open(order);
      return { kind: 'ready' };
    }
    if (!store) return { kind: 'failed', error: 'there was no beginning' };
    try {
      return order.kind === 'session' ? await takeOne(store, order) : await rebuildInChild(store.db, order);
    } catch (error) {
      return { kind: 'failed', error: error instanceof Error ? error.message : String(error) };
    }
  });
}

function open({ database, keepSince }: Extract<ImportOrder, { kind: 'begin' }>): Store {
  const db = openStore(database);
  // What a crash of the machine would take back is read again: how far a file was read stands in the same place.
  // Without a log it could damage the file.
  if (readValue(db, 'PRAGMA journal_mode') === 'wal') db.run('PRAGMA synchronous = NORMAL');
  // The worker alone copies the log to the database: it keeps a sum of every page.
  db.run('PRAGMA wal_autocheckpoint = 0');
  return { db, keepSince };
}

type Store = { db: Database; keepSince: number };
type SessionOrder = Extract<ImportOrder, { kind: 'session' }>;

/** Up to here a session is one transaction: hooks wait no longer for it than for a few of their own. */
const WHOLE_BYTES = 2 * 1024 * 1024;

/** All of it or nothing, if it is of an ordinary size: each commit costs as much as the rules. */
async function takeOne(store: Store, order: SessionOrder): Promise<ImportNews> {
  const { db } = store;
  const bytes = order.files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > WHOLE_BYTES) return takeParts(store, order);
  db.run('BEGIN IMMEDIATE');
  try {
    const news = await takeParts(store, order);
    db.run('COMMIT');
    return news;
  } catch (error) {
    // A full disk has taken it back already, and would not be named.
    if (db.inTransaction) db.run('ROLLBACK');
    throw error;
  }
}

async function takeParts(store: Store, order: SessionOrder): Promise<ImportNews> {
  const { db, keepSince } = store;
  const host = AGENTS.find(({ name }) => name === order.host);
  if (!host) return { kind: 'failed', error: `no host is called ${order.host}` };
  const found = { host, files: order.files, bytes: 0, lastAt: 0 };
  const deps = { db, options: () => order.settings, clock: Date.now, pause: () => Promise.resolve(), slice: SLICE };
  const options = { isOver: order.isOver, isEnd: order.isOver, onBytes: collectBytes() };
  let taken = await takeSession(found, deps, options);
  const isKnown = order.isDeep && order.isOver && taken.added === 0;
  const again = isKnown ? makeRoom(db, order.files[0]?.session ?? '') : 'nothing to do';
  if (again === 'made room') taken = await takeSession(found, deps, options);
  let observations = 0;
  if (taken.added > 0) for (const id of taken.sessionIds) observations += observeAll(store, id, order);
  for (const id of taken.sessionIds) expirePayloads(db, keepSince, id);
  const { added, unreadable } = taken;
  return { kind: 'taken', added, observations, isLeftAsItIs: again === 'left as it is', unreadable };
}

/** What the rules made of it before makes room for the model, unless there is more to it. */
function makeRoom(db: Database, hostSessionId: string): 'made room' | 'left as it is' | 'nothing to do' {
  const session = findSession(db, hostSessionId);
  if (!session || hasModelBatches(db, session.id)) return 'nothing to do';
  if (undoImport(db, session.id)) return 'made room';
  count(db, 'not-deepened', Date.now());
  return 'left as it is';
}

/** A turn that cannot be stored now stays, and is observed like any that waits. */
function observeAll({ db }: Store, sessionId: number, { settings, isOver, isDeep }: SessionOrder): number {
  const readEvidence = createReadEvidence(Date.now);
  const findKnown = createFindKnown(db);
  const placeOf = createPlaceOf({ db, config: () => settings });
  let observations = 0;
  // The worker leaves this session alone. Only if the rules broke on a turn is it counted how often it was tried.
  let claim: ProcessDeps['claim'] = peekTurn;
  // A turn that may still go on is left alone.
  while (isOver || findTurnEnd(db, sessionId) !== null) {
    const isForModel = isDeep ? isWorthAsking : () => false;
    const turn = processTurn(db, sessionId, {
      observe: observeBatch,
      settle: settleNew,
      isForModel,
      readEvidence,
      placeOf,
      isForeign: createIsForeign(db),
      claim,
      findKnown,
      clock: Date.now,
    });
    // One that only asked this memory is passed over; others may follow it.
    const isLast = turn.kind === 'nothing' && findTurnEnd(db, sessionId) === null;
    if (isLast || turn.kind === 'postponed') return observations;
    if (turn.kind === 'failed') claim = undefined;
    if (turn.kind === 'observed') observations += turn.observations;
  }
  return observations;
}

function collectBytes(): (bytes: number) => void {
  let waiting = 0;
  return (bytes) => {
    waiting += bytes;
    if (waiting < TELL_BYTES) return;
    reply({ kind: 'bytes', bytes: waiting } satisfies ImportNews);
    waiting = 0;
  };
}
