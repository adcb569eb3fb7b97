// The worker's index: opened when there is something to embed or to search, made anew when it is damaged or when a person asks.
import type { Database } from 'bun:sqlite';
import type { Config } from '../../config.ts';
import type { Log } from '../../log.ts';
import type { Paths } from '../../paths.ts';
import { createIndexer, type Indexer, type IndexStatus, type SearchableModel } from '../../search/indexer.ts';
import { createScanKernel } from '../../search/vectors/kernel.ts';
import { isWhole, rebuildTable, WORD_TABLES } from '../../store/index/check-words.ts';
import { createDocumentSource } from '../../store/index/document-source.ts';
import { countDocuments, documentMore } from '../../store/index/documents.ts';
import { isDamage, openIndex, removeIndex } from '../../store/index/index-db.ts';
import type { Latencies } from '../watch/latencies.ts';
import { type Choice, chooseEmbedders, findScanKernel, STATIC_MODEL, stampEmbedders } from './choose-embedders.ts';
import { withoutDamage } from './without-damage.ts';

export type ReindexJob = {
  startedAt: string;
  /** words: the keyword index is looked through, and made anew if it must be; vectors: the documents are embedded. */
  step: 'words' | 'vectors' | 'done' | 'failed';
  /** Why it failed. */
  error: string | null;
  /** Vectors of documents, over all models. */
  done: number;
  total: number;
};

export type IndexState = IndexStatus & { embedder: string; problem: string | null; job: ReindexJob | null };

export type Indexing = {
  /** Something was stored or dropped. */
  wake: () => void;
  /** For a search that is about to be made; some time after the last one their memory is given back. */
  models: () => SearchableModel[];
  /** Takes the vectors of dropped documents out of every file, now; false when the index is just being made anew, or cannot be opened. */
  removeDropped: () => boolean;
  status: () => IndexState;
  /** Why it cannot be opened; null while it is open, or not asked for yet. */
  openProblem: () => string | null;
  /**
   * Makes the vectors anew, and the words where they are damaged, in the background. `withWords`: these in any case, which holds the
   * event loop up for seconds. The job that runs already when there is one.
   */
  reindex: (options: { withWords: boolean }) => ReindexJob;
  hasWork: () => boolean;
  close: () => Promise<void>;
};

export type IndexingDeps = {
  /** memory.db */
  db: Database;
  paths: Paths;
  config: () => Config;
  log: Log;
  clock: () => number;
  /** Something else needs the processor more than vectors. */
  isBusy?: () => boolean;
  latencies?: Pick<Latencies, 'note'>;
  /** Other embedders, for a test. */
  choose?: (config: Config, log: Log) => Choice;
};

type Open = { indexer: Indexer; index: Database; stamp: string; choice: Choice };

const RELEASE_MS = 20_000;
const REOPEN_MS = 60_000;
/** A worker that starts has hooks to answer first. */
const START_MS = 200;
/** Many events in a moment are one reason to look. */
const WAKE_MS = 10;
/** To look through the words of so many takes a second of the event loop. Beyond, they are made anew only when asked. */
const MOST_CHECKED = 50_000;
const NOTHING: IndexStatus = { documents: 0, models: [], newestWaitingMs: null, isWorking: false };

export function createIndexing(deps: IndexingDeps): Indexing {
  const { db, paths, config, log, clock, choose = chooseEmbedders, isBusy, latencies } = deps;
  const onBatch = (ms: number) => latencies?.note('index', ms);
  const source = createDocumentSource(db);
  const kernel = createScanKernel(findScanKernel());
  let open: Open | null = null;
  /** The one before is closed first: two must not write the same vectors. */
  let changing: Promise<void> | null = null;
  let problem: string | null = null;
  /** After a failure to open it: not with every event again. */
  let closedUntil = 0;
  let job: Omit<ReindexJob, 'done' | 'total'> | null = null;
  let wakeTimer: Timer | null = null;
  let releaseTimer: Timer | null = null;
  let isClosed = false;

  const openNow = () => {
    const settings = config();
    let index: Database | null = null;
    try {
      index = openIndex(paths.indexDatabase);
      const choice = choose(settings, log);
      const { embedders } = choice;
      const kept = [STATIC_MODEL];
      const around = { log, clock, onBroken, isBusy, onBatch };
      const indexer = createIndexer({ db: index, source, kernel, embedders, kept, ...around });
      open = { indexer, index, stamp: stampEmbedders(settings), choice };
      problem = choice.problem;
      indexer.wake();
    } catch (error) {
      index?.close();
      problem = messageOf(error);
      failJob(error);
      closedUntil = performance.now() + REOPEN_MS;
      onBroken(error);
    }
  };

  const closeNow = async () => {
    const closing = open;
    open = null;
    if (!closing) return;
    await Promise.all([closing.indexer.close(), ...closing.choice.embedders.map(({ embedder }) => embedder.close())]);
    closing.index.close();
  };

  /** One change at a time, each with the index closed; opened again after the last. */
  const change = (work: () => void | Promise<void>) => {
    const before = changing ?? Promise.resolve();
    const own = before
      .then(closeNow)
      .then(work)
      .catch(onBroken)
      .then(() => {
        if (changing !== own) return;
        changing = null;
        if (!isClosed) openNow();
      });
    changing = own;
  };

  const failJob = (error: unknown) => {
    if (job && job.step !== 'done') job = { ...job, step: 'failed', error: messageOf(error) };
  };

  const onBroken = (error: unknown) => {
    log.error('the index failed', { error: messageOf(error) });
    if (isDamage(error) && !isClosed && !changing) change(() => removeIndex(paths.indexDatabase));
  };

  const current = (): Open | null => {
    if (isClosed || changing) return null;
    if (!open && performance.now() >= closedUntil) openNow();
    if (open && open.stamp !== stampEmbedders(config())) change(() => undefined);
    return changing ? null : open;
  };

  const readStatus = (): IndexStatus | null => {
    try {
      return current()?.indexer.status() ?? null;
    } catch (error) {
      onBroken(error);
      return null;
    }
  };

  const remake = async (withWords: boolean) => {
    // What is not ours refuses to be opened, and stays.
    openIndex(paths.indexDatabase).close();
    removeIndex(paths.indexDatabase);
    for (let next: number | null = 0; next !== null && !isClosed; await nextTurn()) next = documentMore(db, next);
    const canCheck = countDocuments(db) <= MOST_CHECKED;
    for (const table of WORD_TABLES) {
      if (isClosed) return;
      // One statement of SQLite's. Hooks that meet it spool.
      if (withWords || (canCheck && !isWhole(db, table))) rebuildTable(db, table);
      await nextTurn();
    }
    if (job) job.step = 'vectors';
  };

  const startJob = (withWords: boolean) => {
    const own = { startedAt: new Date(clock()).toISOString(), step: 'words', error: null } as const;
    job = { ...own };
    change(() =>
      remake(withWords).catch((error) => {
        failJob(error);
        throw error;
      }),
    );
    return own;
  };

  const wake = (delayMs = WAKE_MS) => {
    wakeTimer ??= setTimeout(() => {
      wakeTimer = null;
      current()?.indexer.wake();
    }, delayMs);
  };
  wake(START_MS);

  const release = () => {
    releaseTimer = null;
    open?.indexer.release();
    Bun.gc(true);
  };

  const describeJob = ({ documents, models }: IndexStatus): ReindexJob | null => {
    if (!job) return null;
    const waiting = models.reduce((sum, model) => sum + model.waiting, 0);
    if (job.step === 'vectors' && open && waiting === 0) job.step = 'done';
    const total = documents * models.length;
    return { ...job, total, done: total - waiting };
  };

  return {
    wake: () => wake(),
    models() {
      if (releaseTimer) clearTimeout(releaseTimer);
      releaseTimer = setTimeout(release, RELEASE_MS);
      // Filled in the order of how soon they are there; asked in the order of how well they understand.
      const models = current()?.indexer.models().toReversed() ?? [];
      return models.map((model) => ({ ...model, index: withoutDamage(model.index, onBroken) }));
    },
    removeDropped() {
      const now = current();
      now?.indexer.removeDropped();
      return now !== null;
    },
    status() {
      const status = readStatus() ?? { ...NOTHING, documents: countDocuments(db) };
      return { ...status, embedder: config().embedder, problem, job: describeJob(status) };
    },
    openProblem: () => (open || changing ? null : problem),
    reindex({ withWords }) {
      const isRunning = job && job.step !== 'done' && job.step !== 'failed';
      return { ...(isRunning && job ? job : startJob(withWords)), done: 0, total: 0 };
    },
    hasWork: () => changing !== null || open?.indexer.hasWork() === true,
    async close() {
      isClosed = true;
      if (wakeTimer) clearTimeout(wakeTimer);
      if (releaseTimer) clearTimeout(releaseTimer);
      await changing;
      await closeNow();
    },
  };
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Hooks that wait are answered in between. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
