// Keeps index.db in step with the documents, one pipeline for every embedder that is set: newest documents first, a batch at a time.
import type { Database } from 'bun:sqlite';
import { isFull } from '../core/passing-fault.ts';
import type { IndexState } from '../core/shapes/worker.ts';
import type { Log } from '../log.ts';
import {
  clearDropped,
  countDocuments,
  countDocumentsBetween,
  listDocumentTexts,
  listDropped,
  newestDocumentId,
} from '../store/documents.ts';
import { type Embedder, EmbedderError } from './embed/embedder.ts';
import { type Batch, findWaiting, listGaps, pairUp, takeBatch } from './index-batch.ts';
import {
  addCovered,
  countVectorDocuments,
  ensureIndexModel,
  type IndexModel,
  type Interval,
  listCovered,
  listIndexModels,
  putVectors,
  removeDocumentVectors,
  removeSomeOfModel,
  type StoredVector,
} from './index-db.ts';
import { createVectorIndex, type VectorIndex } from './vector-index.ts';

/** How much of a core an embedder may take, and how much it takes on at once. */
export type Pace = {
  /** Texts in one call: what is new waits for no more than these. */
  parts: number;
  /** Rests as long as it worked, unless what it does was just written. */
  isCapped: boolean;
};

/** `waiting`: documents without their vectors. `problem`: why nothing is embedded just now. */
type LaneStatus = IndexState['models'][number];

/** `newestWaitingMs`: how long the newest document has waited for its vectors; null when it has them all. */
export type IndexStatus = Pick<IndexState, 'documents' | 'models' | 'newestWaitingMs' | 'isWorking' | 'problem'>;

/** A model that can be searched. `isComplete`: every document has its vectors. */
export type SearchableModel = { embedder: Embedder; index: VectorIndex; isComplete: () => boolean };

type IndexerDeps = {
  /** index.db */
  db: Database;
  /** memory.db */
  memory: Database;
  embedders: { embedder: Embedder; pace: Pace }[];
  /** Vectors under other names are removed when those of all embedders are complete; never these. */
  kept: string[];
  log: Log;
  clock: () => number;
  /** The index cannot be read or written. */
  onBroken: (error: unknown) => void;
  /** After a failure; twice as long after each that follows. */
  firstRetryMs?: number;
  /** True while something else needs the processor more: an embedder that takes much of it waits. */
  isBusy?: (() => boolean) | undefined;
  /** How long a batch of documents took. */
  onBatch?: (ms: number) => void;
};

/** What is written together is looked at together. */
const SETTLE_MS = 25;
const TIDY_MS = 1000;
/** Vectors removed at once: a few milliseconds of the event loop. */
const REMOVE_SLICE = 500;
const LOOK_AGAIN_MS = 5000;
const DROPPED_SLICE = 200;

export class Indexer {
  private readonly deps: IndexerDeps;
  private readonly lanes: Lane[];
  private timer: Timer | undefined;
  private tidyTimer: Timer | undefined;
  private retryTimer: Timer | undefined;
  /** Why nobody looks just now. */
  private problem: string | null = null;
  private tidying: Promise<void> | null = null;
  private isClosed = false;
  /** The newest document, and when it was first seen. */
  private seen = { id: 0, at: 0 };

  constructor(deps: IndexerDeps) {
    this.deps = deps;
    this.lanes = deps.embedders.map((one) => new Lane({ ...deps, ...one, onComplete: () => this.tidySoon() }));
  }

  /** Something was stored or dropped: look soon. */
  wake = (): void => {
    if (!this.isClosed) this.timer ??= setTimeout(() => this.look(), SETTLE_MS);
  };

  models = (): SearchableModel[] => this.lanes.flatMap((lane) => lane.searchable() ?? []);

  status = (): IndexStatus => {
    const { memory, clock } = this.deps;
    const models = this.lanes.map((lane) => lane.status());
    const isNewestWaiting = this.lanes.some((lane, at) => lane.newest() < this.seen.id && models[at]?.waiting !== 0);
    const newestWaitingMs = isNewestWaiting ? clock() - this.seen.at : null;
    const isWorking = this.lanes.some((lane) => lane.isWorking());
    return { documents: countDocuments(memory), models, newestWaitingMs, isWorking, problem: this.problem };
  };

  /** Something is left that will be done without anybody's help. */
  hasWork = (): boolean => this.timer !== undefined || this.tidying !== null || this.lanes.some((lane) => lane.isWorking());

  /** Takes the vectors of dropped documents out of the file and of its log, now. */
  removeDropped = (): void => {
    while (this.removeSomeDropped());
    settleFile(this.deps.db);
  };

  /** Gives back the memory that searches took. */
  release(): void {
    for (const model of this.models()) model.index.release();
    this.deps.db.run('PRAGMA shrink_memory');
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.tidyTimer);
    clearTimeout(this.retryTimer);
    await Promise.all([this.tidying, ...this.lanes.map((lane) => lane.close())]);
  }

  private look(): void {
    const { memory, clock, onBroken } = this.deps;
    this.timer = undefined;
    try {
      const newest = newestDocumentId(memory);
      if (newest > this.seen.id) this.seen = { id: newest, at: clock() };
      if (this.removeSomeDropped()) this.wake();
      for (const lane of this.lanes) lane.wake();
      this.problem = null;
    } catch (error) {
      this.problem = describeFault(error);
      clearTimeout(this.retryTimer);
      this.retryTimer = setTimeout(this.wake, LOOK_AGAIN_MS);
      onBroken(error);
    }
  }

  /** True when there may be more. */
  private removeSomeDropped(): boolean {
    const { db, memory } = this.deps;
    const gone = listDropped(memory, DROPPED_SLICE);
    if (gone.length === 0) return false;
    db.transaction(() => removeDocumentVectors(db, gone)).immediate();
    for (const lane of this.lanes) lane.remove(gone);
    // Last: whoever is killed before this removes them once more.
    clearDropped(memory, gone);
    return true;
  }

  /** When an embedder has nothing left to do; not after each of many documents. */
  private tidySoon(): void {
    if (this.isClosed) return;
    clearTimeout(this.tidyTimer);
    this.tidyTimer = setTimeout(() => {
      this.tidying ??= this.tidy()
        .catch(this.deps.onBroken)
        .finally(() => {
          this.tidying = null;
        });
    }, TIDY_MS);
  }

  /** Away with models that nobody wants, and with what the log and the cache of the file hold. */
  private async tidy(): Promise<void> {
    const { db, kept, log, embedders } = this.deps;
    const wanted = [...kept, ...embedders.map(({ embedder }) => embedder.id)];
    const isComplete = this.lanes.every((lane) => lane.isComplete());
    for (const model of isComplete ? listIndexModels(db).filter(({ name }) => !wanted.includes(name)) : []) {
      while (!this.isClosed && !removeSomeOfModel(db, model, REMOVE_SLICE)) await Bun.sleep(5);
      log.info('vectors of another embedder were removed', { model: model.name });
    }
    if (!this.isClosed && !this.lanes.some((lane) => lane.isWorking())) settleFile(db);
  }
}

/** For a person, with what to do. */
export function describeFault(error: unknown): string {
  if (isFull(error)) return 'The disk is full: the index waits for room, then it resumes automatically. Make room on that disk.';
  return error instanceof Error ? error.message : String(error);
}

/** What was removed stays in the log until it is emptied. */
function settleFile(db: Database): void {
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  db.run('PRAGMA shrink_memory');
}

type LaneDeps = Omit<IndexerDeps, 'embedders'> & { embedder: Embedder; pace: Pace; onComplete: () => void };

/** So often it is looked whether the way is free. */
const BUSY_MS = 1000;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** A full or locked disk costs nothing to try, and people make room. */
const LONGEST_STORE_RETRY_MS = 30_000;
/** After so many failures with one document it is left without a vector, if others get theirs: it must not hold up the rest. */
const MOST_FAILURES = 3;
const HARMLESS_TEXT = 'The tests pass again after the timeout was raised.';

/** Whatever is new cuts a rest short that is wakeable; one after a failure ends only with its time. */
type Rest = { ms: number; isWakeable: boolean };

/** The vectors of one model. How long they are, an endpoint says with its first answer: until then it is not `opened`. */
class Lane {
  private readonly deps: LaneDeps;
  private opened: { model: IndexModel; index: VectorIndex } | null = null;
  private running: Promise<void> | null = null;
  private isClosed = false;
  private failures = 0;
  private problem: string | null = null;
  private longestRetryMs = LONGEST_RETRY_MS;
  private interrupt: (isClosing: boolean) => void = () => undefined;

  constructor(deps: LaneDeps) {
    this.deps = deps;
    if (deps.embedder.dimension > 0) this.open();
  }

  /** A document may wait: look now. */
  wake(): void {
    if (this.isClosed) return;
    this.interrupt(false);
    this.running ??= this.run().finally(() => {
      this.running = null;
    });
  }

  searchable(): SearchableModel | null {
    return this.opened && { embedder: this.deps.embedder, index: this.opened.index, isComplete: () => this.isComplete() };
  }

  isWorking(): boolean {
    return this.running !== null && this.failures === 0;
  }

  isComplete(): boolean {
    return findWaiting(this.deps.memory, this.covered(), 1) === null;
  }

  /** The newest document that has its vectors. */
  newest(): number {
    return this.covered()[0]?.high ?? 0;
  }

  remove(documents: number[]): void {
    this.opened?.index.remove(documents);
  }

  status(): LaneStatus {
    const { db, memory, embedder } = this.deps;
    const vectors = this.opened ? countVectorDocuments(db, this.opened.model.id) : 0;
    const waiting = listGaps(this.covered()).reduce((sum, gap) => sum + countDocumentsBetween(memory, gap.low, gap.high), 0);
    return { name: embedder.id, vectors, waiting, problem: this.problem };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.interrupt(true);
    await this.running;
  }

  private open() {
    const { db, embedder, onBroken } = this.deps;
    const model = ensureIndexModel(db, embedder.id, embedder.dimension);
    this.opened = { model, index: createVectorIndex(db, model, onBroken) };
    return this.opened;
  }

  private covered(): Interval[] {
    return this.opened ? listCovered(this.deps.db, this.opened.model.id) : [];
  }

  private async run(): Promise<void> {
    while (!this.isClosed) {
      const rest = await this.takeStep().catch((error) => this.stumble(error));
      if (!rest) return this.deps.onComplete();
      await this.rest(rest);
    }
  }

  /** Null when nothing is left to do. */
  private async takeStep(): Promise<Rest | null> {
    const { memory, pace, isBusy, onBatch } = this.deps;
    if (pace.isCapped && isBusy?.()) return { ms: BUSY_MS, isWakeable: false };
    const started = performance.now();
    const waiting = findWaiting(memory, this.covered(), this.failures > 0 ? 1 : pace.parts);
    if (!waiting) {
      [this.failures, this.problem] = [0, null];
      return null;
    }
    await this.embed(takeBatch(memory, waiting, pace.parts));
    if (this.failures > 0) return this.restAfterFailure();
    const tookMs = performance.now() - started;
    onBatch?.(tookMs);
    return { ms: pace.isCapped && !waiting.isNew ? tookMs : 0, isWakeable: true };
  }

  private restAfterFailure(): Rest {
    const { firstRetryMs = FIRST_RETRY_MS } = this.deps;
    return { ms: Math.min(firstRetryMs * 2 ** (this.failures - 1), this.longestRetryMs), isWakeable: false };
  }

  /** The index, or what it is made of, could not be read or written. */
  private stumble(error: unknown): Rest {
    this.failures++;
    this.problem = describeFault(error);
    this.longestRetryMs = LONGEST_STORE_RETRY_MS;
    this.deps.onBroken(error);
    return this.restAfterFailure();
  }

  private rest({ ms, isWakeable }: Rest): Promise<void> {
    return new Promise((resolve) => {
      if (this.isClosed) return resolve();
      const timer = setTimeout(resolve, ms);
      this.interrupt = (isClosing) => {
        if (!isWakeable && !isClosing) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async embed(batch: Batch): Promise<void> {
    const { embedder } = this.deps;
    try {
      const texts = batch.parts.map(({ text }) => text);
      const made = texts.length === 0 ? [] : await embedder.embed(texts, 'document');
      if (this.isClosed) return;
      this.store(batch, pairUp(batch.parts, made, embedder.dimension));
      [this.failures, this.problem] = [0, null];
    } catch (error) {
      if (!this.isClosed) await this.fail(batch, error);
    }
  }

  private store(batch: Batch, made: StoredVector[]): void {
    const { db, memory } = this.deps;
    const { model, index } = this.opened ?? this.open();
    // One that was dropped meanwhile has been removed already: it must not come back.
    const present = new Set(listDocumentTexts(memory, batch.ids).map(({ id }) => id));
    const kept = made.filter(({ document }) => present.has(document));
    db.transaction(() => {
      putVectors(db, model.id, kept);
      addCovered(db, model.id, batch.covers);
    }).immediate();
    index.add(kept);
  }

  private async fail(batch: Batch, error: unknown): Promise<void> {
    const { embedder, log } = this.deps;
    if (!(error instanceof EmbedderError)) return void this.stumble(error);
    this.failures++;
    this.problem = error.message;
    this.longestRetryMs = LONGEST_RETRY_MS;
    if (this.failures === 1) log.warn('documents could not be embedded', { model: embedder.id, error: this.problem });
    if (this.failures <= MOST_FAILURES || batch.ids.length > 1 || !(await this.takesOthers())) return;
    log.warn('a document is left without a vector', { model: embedder.id, document: batch.ids[0], error: this.problem });
    this.store(batch, []);
    this.failures = 0;
  }

  private async takesOthers(): Promise<boolean> {
    const { embedder } = this.deps;
    const [vector] = await embedder.embed([HARMLESS_TEXT], 'document').catch(() => []);
    return vector?.length === embedder.dimension;
  }
}
