// Forgetting: a memory is hidden at once; once a person has confirmed, its bytes go, and somebody looks whether they did.
import type { Database } from 'bun:sqlite';
import { relative } from 'node:path';
import { dropCopies, dropUnfinished, listCopies, runChild } from '../backup/copies.ts';
import type { ForgetOrder } from '../backup/copy-store.ts';
import { listAside, removeDatabase } from '../backup/swap.ts';
import { findSessionsStarting } from '../capture/sessions.ts';
import { AskError } from '../core/ask-error.ts';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import type { Pieces } from '../core/same-words.ts';
import type { ForgetScope } from '../core/shapes/asked.ts';
import type { ForgetAnswer, ForgetPreview, MemoryRow, Receipt } from '../core/shapes/memory.ts';
import { nextTurn } from '../core/time.ts';
import type { Log } from '../log.ts';
import { hideMemories, hideMemory, unhideMemories } from '../memory/hide.ts';
import { readRows } from '../memory/read.ts';
import { hasLivingReason, isSaid, wipeTexts, wipeTraces } from '../memory/traces.ts';
import { listRelated } from '../memory/turn-keys.ts';
import type { Paths } from '../paths.ts';
import { findNamed } from '../projects/place.ts';
import { hiddenNotice, takeNotice } from '../store/counters.ts';
import { listDropped, scourWords } from '../store/documents.ts';
import { clearErasing, clearWords, emptyLog, isErasing, listErasing, markErasing, markPieces } from '../store/erasing.ts';
import { readAll, readValue } from '../store/read.ts';
import { bury } from '../store/tombstones.ts';
import { createTally, eraseMemories, type Tally } from './erase.ts';
import { cleanFiles } from './remains.ts';
import {
  burySessions,
  countScope,
  eraseElsewhere,
  eraseSessionPart,
  eraseSome,
  findMatching,
  listBuriedSessions,
  listSessionsOf,
  MOST_MATCHES,
  nameSessions,
} from './scope.ts';

/** What goes: sessions as a whole, what there is of a project in others, memories one by one. */
type Plan = {
  /** For people: `session 1f2e…`. */
  name: string;
  sessionIds: number[];
  projectId: number | null;
  refs: MemoryRef[];
  /** A text that must be in no file afterwards. */
  text: string | null;
};

const LISTED = 50;
const NOTHING = { sessionIds: [], projectId: null, refs: [], text: null };

async function planScope(db: Database, { session, project, matching }: ForgetScope): Promise<Plan> {
  if ([session, project, matching].filter((one) => one !== undefined).length !== 1)
    throw new AskError('invalid', 'It is not said what to forget.', 'Give one of session, project and matching.');
  if (session !== undefined) return { ...NOTHING, ...planSession(db, session) };
  if (project !== undefined) {
    const { id, name } = findNamed(db, project);
    return { ...NOTHING, name: `project ${name}`, sessionIds: listSessionsOf(db, id), projectId: id };
  }
  const text = (matching ?? '').trim();
  if (text.length < 3) throw new AskError('invalid', 'The text is too short.', 'Give at least three characters.');
  const refs = await findMatching(db, text);
  if (refs.length > MOST_MATCHES)
    throw new AskError('invalid', `More than ${MOST_MATCHES} memories have it.`, 'Give a text that fewer have.');
  return { ...NOTHING, name: `all that has "${text}" in it`, refs, text };
}

/** By names: a number may have been another's when a backup was made. To be asked before they are gone. */
function nameInCopies(db: Database, { sessionIds, projectId, refs }: Plan): Omit<ForgetOrder, 'paths' | 'pieces' | 'at'> {
  return {
    refs,
    sessions: nameSessions(db, sessionIds),
    project: readValue<string>(db, 'SELECT key FROM projects WHERE id = ?', projectId),
  };
}

const MOST_CANDIDATES = 20;

function planSession(db: Database, text: string): Pick<Plan, 'name' | 'sessionIds'> {
  const [found, ...others] = findSessionsStarting(db, text, MOST_CANDIDATES);
  if (!found)
    throw new AskError('unknown', `There is no session ${text.slice(0, 100)}.`, '`claude-mem show ID` names the session of a memory.');
  if (others.length === 0) return { name: `session ${found.hostSessionId}`, sessionIds: [found.id] };
  const candidates = [found, ...others].map(({ hostSessionId }) => hostSessionId).sort();
  throw new AskError('ambiguous', `${candidates.length} sessions begin with "${text}".`, 'Give all of the id.', candidates);
}

function describePlan(db: Database, { name, sessionIds, projectId, refs }: Plan): ForgetPreview {
  const listed = refs.length > 0 ? refs.slice(0, LISTED) : listNewest(db, sessionIds, projectId);
  const rows = readRows(db, listed, { withHidden: true });
  const kinds = Map.groupBy(refs, ({ kind }) => kind);
  const counts = countScope(db, sessionIds, projectId);
  return {
    scope: name,
    sessions: counts.sessions,
    observations: counts.observations + (kinds.get('observation')?.length ?? 0),
    summaries: counts.summaries + (kinds.get('summary')?.length ?? 0),
    prompts: counts.prompts + (kinds.get('prompt')?.length ?? 0),
    records: counts.records,
    memories: listed.flatMap((ref) => rows.get(formatRef(ref)) ?? []),
    ids: refs.map(formatRef),
  };
}

function listNewest(db: Database, sessionIds: number[], projectId: number | null): MemoryRef[] {
  const sql = `SELECT kind, ref AS id FROM documents WHERE session_id IN (SELECT value FROM json_each($list)) OR project_id = $projectId
    ORDER BY at DESC, id DESC LIMIT $limit + 0`;
  return readAll<MemoryRef>(db, sql, { list: JSON.stringify(sessionIds), projectId, limit: LISTED });
}

const SOME = 10;
/** Each costs a look at every event. */
const MOST_WIPED = 24;

type Erased = { tally: Tally; telling: string[] };

/** All that is marked, a slice at a time: when somebody asks, and after a crash at the next start. What it said goes from files, too. */
async function eraseMarked(deps: ForgetDeps): Promise<Erased> {
  const { db, paths, clock } = deps;
  const tally = createTally();
  const { refs, texts } = listErasing(db);
  await eraseWhole(deps, tally);
  for (let from = 0; from < refs.length; from += SOME, await nextTurn()) {
    const some = refs.slice(from, from + SOME);
    const rows = readRows(db, some, { withHidden: true });
    const there = some.filter((ref) => rows.has(formatRef(ref)));
    eraseSlice(deps, tally, () => eraseSome(db, there, tally, clock()));
  }
  for (const text of texts) eraseText(db, text, tally, clock());
  const pieces = [...new Set([...texts, ...listErasing(db).pieces])];
  const unsaid = pieces.filter((piece) => !isSaid(db, piece)).slice(0, MOST_WIPED);
  for (const piece of unsaid) {
    db.transaction(() => wipeTexts(db, [piece])).immediate();
    await nextTurn();
  }
  const telling = pieces.filter((piece) => texts.includes(piece) || !isSaid(db, piece));
  if (telling.length > 0) cleanFiles(paths, { telling, words: [] });
  clearWords(db);
  return { tally, telling };
}

/** With the words that are still to be looked for elsewhere. */
function eraseSlice<T>({ db, clock }: ForgetDeps, { telling }: Tally, erase: () => T): T {
  return db
    .transaction(() => {
      const known = telling.size;
      const result = erase();
      markPieces(db, [...telling].slice(known), clock());
      return result;
    })
    .immediate();
}

/** Sessions, and what there is of a project in others. */
async function eraseWhole(deps: ForgetDeps, tally: Tally): Promise<void> {
  const { db, clock, stopSession } = deps;
  const untilGone = async (erase: () => boolean) => {
    for (let isGone = false; !isGone; await nextTurn()) isGone = eraseSlice(deps, tally, erase);
  };
  for (const id of listBuriedSessions(db)) {
    await stopSession?.(id);
    await untilGone(() => eraseSessionPart(db, id, tally, clock()));
  }
  for (const id of listErasing(db).projectIds) await untilGone(() => eraseElsewhere(db, id, tally, clock()));
}

/** What was used of the events that have it goes with their payload, and what was made of that in passing. */
function eraseText(db: Database, text: string, tally: Tally, at: number): void {
  const nothing = { sources: [], batchIds: [], sessionIds: [], prompts: [], turns: [], wholeTurns: [] };
  db.transaction(() => {
    const { eventIds, names } = wipeTraces(db, { ...nothing, pieces: { telling: [text], words: [] } });
    for (const name of names) bury(db, 'event', name, at);
    tally.events += eventIds.length;
  }).immediate();
}

type ForgetDeps = {
  db: Database;
  paths: Paths;
  clock: () => number;
  index: { removeDropped: () => void; wake: () => void };
  /** Takes in what waits in the spool: what was forgotten is dropped on the way. */
  drainSpool: () => Promise<void>;
  log: Log;
  /** Something is not to be shown any more, from now on. */
  onForgotten?: () => void;
  /** Cuts off a question that is put to a model about this session. */
  stopSession?: (sessionId: number) => Promise<void>;
};

export type Forget = ReturnType<typeof createForget>;

export function createForget(deps: ForgetDeps) {
  const { db, index } = deps;
  /** One after the other: the mark of an erasure under way stands for one. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const own = last.then(work);
    // Whoever asked hears of its failure; the next one does not.
    last = own.catch(() => undefined);
    return own;
  };
  return {
    /** `byAgent`: the next session says so. */
    hide: (refs: MemoryRef[], { byAgent = false }: { byAgent?: boolean } = {}) => hide(deps, refs, byAgent),
    unhide(refs: MemoryRef[]) {
      requireAll(db, refs);
      const shown = db.transaction(() => unhideMemories(db, refs)).immediate();
      index.wake();
      return { ids: shown.map(formatRef) };
    },
    related(refs: MemoryRef[]): MemoryRow[] {
      const found = listRelated(db, refs);
      const rows = readRows(db, found, { withHidden: true });
      return found.flatMap((ref) => rows.get(formatRef(ref)) ?? []);
    },
    /** `withRelated`: also what was made of the same events and of nothing else. */
    erase: (refs: MemoryRef[], { withRelated }: { withRelated: boolean }) => inTurn(() => eraseNow(deps, refs, withRelated)),
    preview: async (scope: ForgetScope) => describePlan(db, await planScope(db, scope)),
    /** A whole session or project, or many memories by their ids. */
    eraseScope: (asked: ForgetScope & { refs?: MemoryRef[] }) => inTurn(() => eraseManyNow(deps, asked)),
    /** What a crash in the middle of an erasure left to do. */
    finish: () => inTurn(() => finishNow(deps)),
    /** Rows went that others had published: their bytes follow, out of the index, the log and the copies. */
    scour: () =>
      inTurn(async () => void (isErasing(db) ? await finishNow(deps) : await finishErasing(deps, () => takeBackInBackups(deps)))),
  };
}

function hide({ db, clock, index, onForgotten }: ForgetDeps, refs: MemoryRef[], byAgent: boolean): ForgetAnswer {
  requireAll(db, refs);
  db.transaction(() => {
    hideMemories(db, refs, clock());
    if (byAgent) for (const ref of refs) takeNotice(db, hiddenNotice(formatRef(ref)), clock());
  }).immediate();
  index.wake();
  onForgotten?.();
  const ids = refs.map(formatRef);
  return { state: 'hidden', ids, next: `To delete permanently, a person runs: claude-mem forget ${ids.join(' ')}` };
}

async function eraseNow(deps: ForgetDeps, asked: MemoryRef[], withRelated: boolean): Promise<ForgetAnswer> {
  const { db, paths, clock } = deps;
  requireAll(db, asked);
  const at = clock();
  const onPieces = (pieces: Pieces) => cleanFiles(paths, pieces);
  const { refs, pieces, tally } = db
    .transaction(() => {
      const refs = withRelated ? [...asked, ...listRelated(db, asked)] : asked;
      markErasing(db, at);
      return { refs, ...eraseMemories(db, refs, { at, onPieces }) };
    })
    .immediate();
  // What one before that failed in the middle has left: the marks go with this one.
  await eraseMarked(deps);
  return conclude(deps, { refs, sessions: [], project: null, pieces, at }, tally);
}

async function eraseManyNow(deps: ForgetDeps, { refs, ...scope }: ForgetScope & { refs?: MemoryRef[] }): Promise<ForgetAnswer> {
  const { db, clock } = deps;
  const at = clock();
  if (refs) requireAll(db, refs);
  const plan = refs ? { ...NOTHING, name: 'memories', refs, text: scope.matching ?? null } : await planScope(db, scope);
  const named = nameInCopies(db, plan);
  db.transaction(() => markPlan(db, plan, at)).immediate();
  const { tally, telling } = await eraseMarked(deps);
  return conclude(deps, { ...named, pieces: { telling, words: [] }, at }, tally);
}

function markPlan(db: Database, { sessionIds, projectId, refs, text }: Plan, at: number): void {
  markErasing(db, at, { projectIds: projectId === null ? [] : [projectId], refs, texts: text === null ? [] : [text] });
  burySessions(db, sessionIds, at);
  // Shown nowhere from now on, whatever happens before they are gone.
  for (const ref of refs) hideMemory(db, ref, at);
}

type Order = Omit<ForgetOrder, 'paths'>;

/** The rows are gone. Now their bytes go, here and in backups, and somebody looks whether they did. */
async function conclude(deps: ForgetDeps, order: Order, { telling: _, sayers, ...counts }: Tally): Promise<ForgetAnswer> {
  const { db, log, onForgotten } = deps;
  onForgotten?.();
  const { vectors, backups } = await finishErasing(deps, () => forgetInBackups(deps, order));
  const left = await look(deps, order.pieces);
  const living = readRows(db, [...sayers.values()]);
  const alsoSaidBy = [...sayers.keys()].filter((id) => living.has(id));
  const at = new Date(order.at).toISOString();
  const receipt: Receipt = { at, ids: order.refs.map(formatRef), ...counts, vectors, backups, ...left, alsoSaidBy };
  log.info('erased', receipt);
  return { state: 'erased', receipt };
}

/** What a crash left to do. */
async function finishNow(deps: ForgetDeps): Promise<void> {
  if (!isErasing(deps.db)) return;
  await eraseMarked(deps);
  await finishErasing(deps, () => dropAllCopies(deps));
}

function requireAll(db: Database, refs: MemoryRef[]): void {
  const rows = readRows(db, refs, { withHidden: true });
  const missing = refs.map(formatRef).filter((id) => !rows.has(id));
  if (missing.length === 0) return;
  throw new AskError('unknown', `There is no memory ${missing.join(', ')}.`, 'It may be forgotten already. Nothing was changed.');
}

/** The rows are gone; now their bytes go: out of the word index, the vectors, and the log of the database. */
async function finishErasing(
  { db, index, drainSpool, log }: ForgetDeps,
  cleanCopies: () => Promise<number>,
): Promise<{ vectors: number; backups: number }> {
  await drainSpool();
  const vectors = listDropped(db, MOST_VECTORS).length;
  // An index that is just being made anew has none of them.
  index.removeDropped();
  for (let isClean = false; !isClean; await nextTurn()) isClean = scourWords(db);
  const backups = await cleanCopies();
  if (await truncateLog(db)) clearErasing(db);
  // Another program reads the database: its log keeps old pages until then.
  else log.warn('the log of the database could not be emptied after an erasure; the next start will');
  return { vectors, backups };
}

/** In a process of its own: each copy is as large as the memory. Returns how many copies it went from. */
async function forgetInBackups({ db, paths, log }: ForgetDeps, erased: Omit<ForgetOrder, 'paths'>): Promise<number> {
  dropUnfinished(paths);
  if (listCopies(paths).length + listAside(paths).length === 0) return 0;
  const { cleaned, dropped, holding } = await runChild({ kind: 'forget', paths, ...erased });
  // A word of it that other memories have, too, stays.
  const without = holding.filter(({ pieces }) => pieces.some((piece) => !hasLivingReason(db, piece)));
  for (const { path } of without) removeDatabase(path);
  log.info('forgotten in backups', { cleaned, dropped: dropped + without.length });
  return cleaned + dropped;
}

async function takeBackInBackups({ paths }: ForgetDeps): Promise<number> {
  dropUnfinished(paths);
  return listCopies(paths).length + listAside(paths).length === 0 ? 0 : runChild({ kind: 'take back', paths });
}

/** An erasure that was killed: nobody knows any more what it was about. The next quiet time makes a new one. */
async function dropAllCopies({ paths }: ForgetDeps): Promise<number> {
  dropUnfinished(paths);
  const { length } = listCopies(paths);
  dropCopies(paths, null);
  return length;
}

const MOST_VECTORS = 1_000_000;
const TRIES = 20;

async function truncateLog(db: Database): Promise<boolean> {
  for (let tried = 0; tried < TRIES; tried++) {
    if (emptyLog(db)) return true;
    await Bun.sleep(50);
  }
  return false;
}

/**
 * How many pieces of the text are still in a file, and in which. What other, living memories also say is not counted, nor what has
 * another reason to be there: an event of another turn that has the same word in it, the name of a folder, our own schema.
 */
async function look({ db, paths }: ForgetDeps, pieces: Pieces): Promise<Pick<Receipt, 'remains' | 'remainsIn'>> {
  const found = await runChild({ kind: 'look', paths, pieces });
  const left = found.filter(({ piece }) => !hasLivingReason(db, piece));
  return { remains: left.length, remainsIn: [...new Set(left.map(({ path }) => relative(paths.dataDir, path)))] };
}
