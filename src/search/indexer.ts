// The indexer: keeps index.db in step with the documents, for every embedder that is set.
import type { Database } from 'bun:sqlite';
import type { Log } from '../log.ts';
import type { DocumentSource } from '../store/index/document-source.ts';
import { ensureIndexModel, listIndexModels, removeIndexModel } from '../store/index/index-models.ts';
import { removeDocumentVectors, removeSomeVectors } from '../store/index/vectors.ts';
import type { Embedder } from './embed/embedder.ts';
import { createLane, type Lane, type LaneStatus, type Pace } from './index-lane.ts';
import { type Probe, probeDimension } from './probe-dimension.ts';
import type { ScanKernel } from './vectors/kernel.ts';
import { createVectorIndex, type VectorIndex } from './vectors/vector-index.ts';

export type IndexStatus = {
  documents: number;
  models: LaneStatus[];
  /** How long the newest document has waited for its vectors; null when it has them all. */
  newestWaitingMs: number | null;
  isWorking: boolean;
};

/** A model that can be searched. */
export type SearchableModel = {
  embedder: Embedder;
  index: VectorIndex;
  isComplete: () => boolean;
};

export type Indexer = {
  /** Something was stored or dropped: look soon. */
  wake: () => void;
  models: () => SearchableModel[];
  status: () => IndexStatus;
  /** Something is left that will be done without anybody's help. */
  hasWork: () => boolean;
  /** Takes the vectors of dropped documents out of the file and of its log, now. */
  removeDropped: () => void;
  /** Gives back the memory that searches took. */
  release: () => void;
  close: () => Promise<void>;
};

export type IndexerDeps = {
  /** index.db */
  db: Database;
  source: DocumentSource;
  kernel: ScanKernel;
  embedders: { embedder: Embedder; pace: Pace }[];
  /** Vectors under other names are removed when those of all embedders are complete; never these. */
  kept: string[];
  log: Log;
  clock: () => number;
  onBroken: (error: unknown) => void;
  firstRetryMs?: number;
  isBusy?: () => boolean;
  onBatch?: (ms: number) => void;
};

/** What is written together is looked at together. */
const SETTLE_MS = 25;
const TIDY_MS = 1000;
const FIRST_RETRY_MS = 1000;
/** Vectors removed at once: a few milliseconds of the event loop. */
const REMOVE_SLICE = 500;

export function createIndexer(deps: IndexerDeps): Indexer {
  const { db, source, kernel, log, clock, onBroken, firstRetryMs = FIRST_RETRY_MS, isBusy, onBatch } = deps;
  const lanes: Lane[] = [];
  /** Embedders that have not answered yet. */
  const probes = new Map<string, Probe>();
  let timer: Timer | null = null;
  let tidyTimer: Timer | null = null;
  let tidying: Promise<void> | null = null;
  let isClosed = false;
  /** The newest document, and when it was first seen. */
  let seen = { id: 0, at: 0 };

  const onKnown = (embedder: Embedder, pace: Pace) => {
    probes.delete(embedder.id);
    guard(() => openLane(embedder, pace));
    schedule();
  };

  const guard = (work: () => void) => {
    try {
      if (!isClosed) work();
    } catch (error) {
      onBroken(error);
    }
  };

  const look = () => {
    timer = null;
    const newest = source.before(Number.MAX_SAFE_INTEGER, 1)[0] ?? 0;
    if (newest > seen.id) seen = { id: newest, at: clock() };
    if (removeSomeDropped()) schedule();
    for (const lane of lanes) lane.wake();
  };

  const schedule = () => {
    if (!isClosed) timer ??= setTimeout(() => guard(look), SETTLE_MS);
  };

  /** True when there may be more. */
  const removeSomeDropped = (): boolean => {
    const gone = source.dropped();
    if (gone.length === 0) return false;
    const models = listIndexModels(db).map(({ id }) => id);
    db.transaction(() => removeDocumentVectors(db, models, gone)).immediate();
    for (const { index, noteRemoved } of lanes) {
      for (const document of gone) index.remove(document);
      noteRemoved();
    }
    // Last: whoever is killed before this removes them once more.
    source.clearDropped(gone);
    return true;
  };

  /** When a lane has nothing left to do; not after each of many documents. */
  const onComplete = () => {
    if (isClosed) return;
    if (tidyTimer) clearTimeout(tidyTimer);
    tidyTimer = setTimeout(() => {
      tidying ??= tidy()
        .catch(onBroken)
        .finally(() => {
          tidying = null;
        });
    }, TIDY_MS);
  };

  /** Away with models that nobody wants, and with what the log and the cache of the file hold. */
  const tidy = async () => {
    if (probes.size === 0 && lanes.every((lane) => lane.isComplete())) await removeUnwanted();
    if (!isClosed && !lanes.some((lane) => lane.isWorking())) settleFile(db);
  };

  const removeUnwanted = async () => {
    const wanted = [...deps.kept, ...lanes.map(({ embedder }) => embedder.id)];
    for (const model of listIndexModels(db).filter(({ name }) => !wanted.includes(name))) {
      while (!isClosed && removeSomeVectors(db, model.id, REMOVE_SLICE)) await Bun.sleep(5);
      if (isClosed) return;
      removeIndexModel(db, model.id);
      log.info('vectors of another embedder were removed', { model: model.name });
    }
  };

  const openLane = (embedder: Embedder, pace: Pace) => {
    const model = ensureIndexModel(db, embedder.id, embedder.dimension);
    const index = createVectorIndex({ db, kernel, model });
    lanes.push(
      createLane({
        db,
        source,
        embedder,
        model,
        index,
        pace,
        log,
        firstRetryMs,
        isBusy,
        onBatch,
        onComplete,
        onBroken,
      }),
    );
  };

  for (const { embedder, pace } of deps.embedders) {
    if (embedder.dimension > 0) openLane(embedder, pace);
    else
      probes.set(
        embedder.id,
        probeDimension(embedder, firstRetryMs, () => onKnown(embedder, pace)),
      );
  }

  return {
    wake: schedule,
    models: () => lanes.map(({ embedder, index, isComplete }) => ({ embedder, index, isComplete })),
    status() {
      const models = lanes.map((lane) => lane.status());
      const documents = source.count();
      const silent = [...probes].map(([name, { problem }]) => ({
        name,
        vectors: 0,
        waiting: documents,
        problem: problem(),
      }));
      const isNewestWaiting = lanes.some((lane, at) => lane.newest() < seen.id && models[at]?.waiting !== 0);
      return {
        documents,
        models: [...models, ...silent],
        newestWaitingMs: isNewestWaiting ? clock() - seen.at : null,
        isWorking: lanes.some((lane) => lane.isWorking()),
      };
    },
    hasWork: () => timer !== null || tidying !== null || lanes.some((lane) => lane.isWorking()),
    removeDropped() {
      while (removeSomeDropped());
      settleFile(db);
    },
    release() {
      for (const { index } of lanes) index.release();
      guard(() => db.run('PRAGMA shrink_memory'));
    },
    async close() {
      isClosed = true;
      if (timer) clearTimeout(timer);
      if (tidyTimer) clearTimeout(tidyTimer);
      for (const probe of probes.values()) probe.close();
      await Promise.all([tidying, ...lanes.map((lane) => lane.close())]);
    },
  };
}

/** What was removed stays in the log until it is emptied. */
function settleFile(db: Database): void {
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  db.run('PRAGMA shrink_memory');
}
