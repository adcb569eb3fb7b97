// Forgetting: a memory is hidden at once; once a person has confirmed, its bytes go, and somebody looks whether they did.
import type { Database } from 'bun:sqlite';
import { relative } from 'node:path';
import { dropCopies, dropUnfinished, listCopies } from '../../backup/copies.ts';
import type { ForgetOrder } from '../../backup/forget-copies.ts';
import { runChild } from '../../backup/process.ts';
import { dropAside, hasAside } from '../../backup/swap.ts';
import { AskError } from '../../core/ask-error.ts';
import { formatRef, type MemoryRef, type MemoryRow } from '../../core/memory.ts';
import type { ForgetAnswer, ForgetPreview, ForgetScope, Receipt } from '../../core/search.ts';
import type { Pieces } from '../../core/telling-pieces.ts';
import { eraseMemories } from '../../forget/erase.ts';
import type { Log } from '../../log.ts';
import type { Paths } from '../../paths.ts';
import { clearErasing, emptyLog, isErasing, markErasing } from '../../store/forgetting/erase-marks.ts';
import { hasLivingReason, isSaid } from '../../store/forgetting/erase-traces.ts';
import { hideMemories, unhideMemories } from '../../store/forgetting/hide.ts';
import { listDropped, scourWords } from '../../store/index/documents.ts';
import { readRows } from '../../store/memories/memories.ts';
import { listRelated } from '../../store/memories/related.ts';
import { hiddenNotice, takeNotice } from '../../store/notices.ts';
import type { Indexing } from '../index/indexing.ts';
import {
  describePlan,
  erasePlan,
  type ManyDeps,
  nameInCopies,
  planRefs,
  planScope,
  resumeErasing,
} from './forget-many.ts';
import { cleanFiles, findRemains } from './remains.ts';

export type ForgetDeps = {
  db: Database;
  paths: Paths;
  clock: () => number;
  index: Pick<Indexing, 'removeDropped' | 'wake'>;
  /** Takes in what waits in the spool: what was forgotten is dropped on the way. */
  drainSpool: () => Promise<void>;
  log: Log;
  /** Something is not to be shown any more, from now on. */
  onForgotten?: () => void;
  stopSession?: ManyDeps['stopSession'];
};

export type Forget = {
  /** `byAgent`: the next session says so. */
  hide: (refs: MemoryRef[], options?: { byAgent: boolean }) => ForgetAnswer;
  unhide: (refs: MemoryRef[]) => { ids: string[] };
  /** What `withRelated` would take along. */
  related: (refs: MemoryRef[]) => MemoryRow[];
  /** `withRelated`: also what was made of the same events and of nothing else. */
  erase: (refs: MemoryRef[], options: { withRelated: boolean }) => Promise<ForgetAnswer>;
  /** What `eraseScope` would take. */
  preview: (scope: ForgetScope) => Promise<ForgetPreview>;
  /** A whole session or project, or many memories by their ids. */
  eraseScope: (asked: ForgetScope & { refs?: MemoryRef[] }) => Promise<ForgetAnswer>;
  /** What a crash in the middle of an erasure left to do. */
  finish: () => Promise<void>;
};

export function createForget(deps: ForgetDeps): Forget {
  const { db, paths, clock, index, log, onForgotten = () => undefined } = deps;

  const hide: Forget['hide'] = (refs, { byAgent } = { byAgent: false }) => {
    requireAll(db, refs);
    db.transaction(() => {
      hideMemories(db, refs, clock());
      if (byAgent) for (const ref of refs) takeNotice(db, hiddenNotice(formatRef(ref)), clock());
    }).immediate();
    index.wake();
    onForgotten();
    const ids = refs.map(formatRef);
    return { state: 'hidden', ids, next: `To erase for good, a person runs: claude-mem forget ${ids.join(' ')}` };
  };

  const unhide = (refs: MemoryRef[]) => {
    requireAll(db, refs);
    const shown = db.transaction(() => unhideMemories(db, refs)).immediate();
    index.wake();
    return { ids: shown.map(formatRef) };
  };

  const related = (refs: MemoryRef[]) => {
    const found = listRelated(db, refs);
    const rows = readRows(db, found, { withHidden: true });
    return found.flatMap((ref) => rows.get(formatRef(ref)) ?? []);
  };

  const eraseNow = async (asked: MemoryRef[], { withRelated }: { withRelated: boolean }): Promise<ForgetAnswer> => {
    requireAll(db, asked);
    const at = clock();
    const onPieces = (pieces: Pieces) => cleanFiles(paths, pieces);
    const { refs, erased } = db
      .transaction(() => {
        const refs = withRelated ? [...asked, ...listRelated(db, asked)] : asked;
        markErasing(db, new Date(at).toISOString());
        return { refs, erased: eraseMemories(db, refs, { at, onPieces }) };
      })
      .immediate();
    onForgotten();
    const { pieces, sayers, ...counts } = erased;
    const order = { refs, sessions: [], project: null, pieces, at };
    const { vectors, backups } = await finishErasing(deps, () => forgetInBackups(deps, order));
    const left = await look(deps, pieces);
    return report({ at, refs, counts: { sessions: 0, ...counts, vectors, backups }, left, sayers });
  };

  const eraseManyNow = async ({ refs, ...scope }: ForgetScope & { refs?: MemoryRef[] }): Promise<ForgetAnswer> => {
    const at = clock();
    if (refs) requireAll(db, refs);
    const plan = refs ? planRefs(refs, scope.matching) : await planScope(deps, scope);
    const copies = nameInCopies(db, plan);
    const { telling, sayers, ...counts } = await erasePlan(deps, plan);
    const unsaid = [...telling].filter((piece) => piece === plan.text || !isSaid(db, piece));
    const pieces = { telling: unsaid, words: [] };
    cleanFiles(paths, pieces);
    onForgotten();
    const order = { ...copies, pieces, at };
    const { vectors, backups } = await finishErasing(deps, () => forgetInBackups(deps, order));
    const left = await look(deps, pieces);
    const living = readRows(db, [...sayers.values()]);
    const still = [...sayers.values()].filter((ref) => living.has(formatRef(ref)));
    return report({ at, refs: plan.refs, counts: { ...counts, vectors, backups }, left, sayers: still });
  };

  const report = ({ at, refs, counts, left, sayers }: Reported): ForgetAnswer => {
    const ids = refs.map(formatRef);
    const alsoSaidBy = sayers.map(formatRef);
    const receipt: Receipt = { at: new Date(at).toISOString(), ids, ...counts, ...left, alsoSaidBy };
    log.info('erased', receipt);
    return { state: 'erased', receipt };
  };

  /** One after the other: the mark of an erasure under way stands for one. */
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const own = last.then(work);
    // Whoever asked hears of its failure; the next one does not.
    last = own.catch(() => undefined);
    return own;
  };
  const erase: Forget['erase'] = (refs, options) => inTurn(() => eraseNow(refs, options));
  const finish = () =>
    inTurn(async () => {
      if (!isErasing(db)) return;
      await resumeErasing(deps);
      await finishErasing(deps, () => dropAllCopies(deps));
    });

  return {
    hide,
    unhide,
    related,
    erase,
    preview: async (scope) => describePlan(db, await planScope(deps, scope)),
    eraseScope: (asked) => inTurn(() => eraseManyNow(asked)),
    finish,
  };
}

type Reported = {
  at: number;
  refs: MemoryRef[];
  counts: Omit<Receipt, 'at' | 'ids' | 'remains' | 'remainsIn' | 'alsoSaidBy'>;
  left: Pick<Receipt, 'remains' | 'remainsIn'>;
  sayers: MemoryRef[];
};

function requireAll(db: Database, refs: MemoryRef[]): void {
  const rows = readRows(db, refs, { withHidden: true });
  const missing = refs.map(formatRef).filter((id) => !rows.has(id));
  if (missing.length === 0) return;
  throw new AskError(
    'unknown',
    `There is no memory ${missing.join(', ')}.`,
    'It may be forgotten already. Nothing was changed.',
  );
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
  if (listCopies(paths).length === 0 && !hasAside(paths)) return 0;
  const { cleaned, dropped, holding } = await runChild({ kind: 'forget', paths, ...erased });
  // A word of it that other memories have, too, stays.
  const without = holding.filter(({ pieces }) => pieces.some((piece) => !hasLivingReason(db, piece)));
  for (const { path } of without) dropAside(path.replace(/-(wal|journal)$/, ''));
  log.info('forgotten in backups', { cleaned, dropped: dropped + without.length });
  return cleaned + dropped;
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
  const found = await findRemains(paths, pieces);
  const left = found.filter(({ piece }) => !hasLivingReason(db, piece));
  return { remains: left.length, remainsIn: [...new Set(left.map(({ path }) => relative(paths.dataDir, path)))] };
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
