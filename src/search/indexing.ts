// The worker's index: opened when there is something to embed or to search, made again when it is damaged or when a person asks.
import type { Database } from 'bun:sqlite';
import type { Config } from '../config.ts';
import type { IndexState, ReindexJob } from '../core/shapes/worker.ts';
import type { Log } from '../log.ts';
import type { Paths } from '../paths.ts';
import { countDocuments, documentMore, findBrokenWords, rebuildWords } from '../store/documents.ts';
import { isDamage } from '../store/open.ts';
import { ChildEmbedder } from './embed/child-embedder.ts';
import type { Embedder } from './embed/embedder.ts';
import { findEmbedder } from './embed/engines.ts';
import { createOpenAiEmbedder } from './embed/openai.ts';
import { createLazyStatic, STATIC_ID } from './embed/static.ts';
import { openIndex, removeIndex } from './index-db.ts';
import { describeFault, Indexer, type IndexStatus, type Pace, type SearchableModel } from './indexer.ts';

type IndexingDeps = {
  /** memory.db */
  db: Database;
  paths: Paths;
  config: () => Config;
  log: Log;
  clock: () => number;
  /** Something else needs the processor more than vectors. */
  isBusy?: () => boolean;
  onBatch?: (ms: number) => void;
  /** Other embedders, for a test. */
  choose?: (config: Config, log: Log) => Choice;
};

type Open = { indexer: Indexer; index: Database; stamp: string; choice: Choice };

const RELEASE_MS = 20_000;
const REOPEN_MS = 60_000;
const REMAKE_MS = 1000;
const START_MS = 200;
/** Many events in a moment are one reason to look. */
const WAKE_MS = 10;
/** To look through the words of so many takes a second of the event loop. Beyond, they are made again only when asked. */
const MOST_CHECKED = 50_000;
const NOTHING: IndexStatus = { documents: 0, models: [], newestWaitingMs: null, isWorking: false, problem: null };

export class Indexing {
  private readonly deps: IndexingDeps;
  private opened: Open | null = null;
  /** The one before is closed first: two must not write the same vectors. */
  private changing: Promise<void> | null = null;
  private problem: string | null = null;
  /** The last failure that is in the log. */
  private logged = '';
  /** After a failure to open it: not with every event again. */
  private closedUntil = 0;
  private job: Omit<ReindexJob, 'done' | 'total'> | null = null;
  private wakeTimer: Timer | undefined;
  private releaseTimer: Timer | undefined;
  private isClosed = false;

  constructor(deps: IndexingDeps) {
    this.deps = deps;
    this.wakeIn(START_MS);
  }

  /** Something was stored or dropped. */
  wake = (): void => this.wakeIn(WAKE_MS);

  /** For a search that is about to be made; some time after the last one their memory is given back. */
  models = (): SearchableModel[] => {
    clearTimeout(this.releaseTimer);
    this.releaseTimer = setTimeout(() => {
      this.opened?.indexer.release();
      Bun.gc(true);
    }, RELEASE_MS);
    // Filled in the order of how soon they are there; asked in the order of how well they understand.
    return this.current()?.indexer.models().toReversed() ?? [];
  };

  /** Takes the vectors of dropped documents out of every file, now; false when the index is just being made again, or cannot be opened. */
  removeDropped = (): boolean => {
    const now = this.current();
    now?.indexer.removeDropped();
    return now !== null;
  };

  status = (): IndexState => {
    const { db, config } = this.deps;
    const status = this.readStatus() ?? { ...NOTHING, documents: countDocuments(db) };
    return { ...status, embedder: config().embedder, problem: this.problem ?? status.problem, job: this.describeJob(status) };
  };

  /** Why it cannot be opened; null while it is open, or not asked for yet. */
  openProblem = (): string | null => (this.opened || this.changing ? null : this.problem);

  /**
   * Makes the vectors again, and the words where they are damaged, in the background. `withWords`: these in any case, which holds the
   * event loop up for seconds. The job that runs already when there is one.
   */
  reindex = ({ withWords }: { withWords: boolean }): ReindexJob => {
    if (!this.job || this.job.step === 'done' || this.job.step === 'failed') {
      this.job = { startedAt: new Date(this.deps.clock()).toISOString(), step: 'words', error: null };
      this.change(() => this.remake(withWords));
    }
    return { ...this.job, done: 0, total: 0 };
  };

  hasWork = (): boolean => this.changing !== null || this.opened?.indexer.hasWork() === true;

  close = async (): Promise<void> => {
    this.isClosed = true;
    for (const timer of [this.wakeTimer, this.releaseTimer]) clearTimeout(timer);
    await this.changing;
    await this.closeNow();
  };

  private wakeIn(ms: number): void {
    this.wakeTimer ??= setTimeout(() => {
      this.wakeTimer = undefined;
      const now = this.current();
      now?.indexer.wake();
      // Closed after a failure: tried again when its time has come.
      if (!now && !this.isClosed && !this.changing) this.wakeIn(Math.max(WAKE_MS, this.closedUntil - performance.now()));
    }, ms);
  }

  private current(): Open | null {
    if (this.isClosed || this.changing) return null;
    if (!this.opened && performance.now() >= this.closedUntil) this.openNow();
    if (this.opened && this.opened.stamp !== stampEmbedders(this.deps.config())) this.change(() => undefined);
    return this.changing ? null : this.opened;
  }

  private openNow(): void {
    const { db, paths, config, log, choose = chooseEmbedders } = this.deps;
    let index: Database | null = null;
    try {
      index = openIndex(paths.indexDatabase);
      const choice = choose(config(), log);
      const around = { db: index, memory: db, kept: [STATIC_ID], onBroken: this.onBroken };
      const indexer = new Indexer({ ...this.deps, ...around, embedders: choice.embedders });
      this.opened = { indexer, index, stamp: stampEmbedders(config()), choice };
      this.problem = choice.problem;
      this.logged = '';
      indexer.wake();
    } catch (error) {
      index?.close();
      this.problem = describeFault(error);
      this.failJob(error);
      this.note(error);
      // Made again later, not at once: a disk that fails would hold everybody up.
      if (isDamage(error)) removeIndex(paths.indexDatabase);
      this.closedUntil = performance.now() + (isDamage(error) ? REMAKE_MS : REOPEN_MS);
      this.wake();
    }
  }

  private async closeNow(): Promise<void> {
    const closing = this.opened;
    this.opened = null;
    if (!closing) return;
    await Promise.all([closing.indexer.close(), ...closing.choice.embedders.map(({ embedder }) => embedder.close())]);
    closing.index.close();
  }

  /** One change at a time, each with the index closed; opened again after the last. */
  private change(work: () => void | Promise<void>): void {
    const own = (this.changing ?? Promise.resolve())
      .then(() => this.closeNow())
      .then(work)
      .catch((error) => {
        this.failJob(error);
        this.onBroken(error);
      })
      .then(() => {
        if (this.changing !== own) return;
        this.changing = null;
        if (!this.isClosed) this.openNow();
      });
    this.changing = own;
  }

  private failJob(error: unknown): void {
    if (this.job && this.job.step !== 'done') this.job = { ...this.job, step: 'failed', error: describeFault(error) };
  }

  private note(error: unknown): void {
    const message = messageOf(error);
    // It is tried again and again.
    if (message !== this.logged) this.deps.log.error('the index failed', { error: message });
    this.logged = message;
  }

  private onBroken = (error: unknown): void => {
    const { paths } = this.deps;
    this.note(error);
    if (isDamage(error) && !this.isClosed && !this.changing) this.change(() => removeIndex(paths.indexDatabase));
  };

  private readStatus(): IndexStatus | null {
    try {
      return this.current()?.indexer.status() ?? null;
    } catch (error) {
      this.onBroken(error);
      return null;
    }
  }

  private async remake(withWords: boolean): Promise<void> {
    const { db, paths } = this.deps;
    // What is not ours refuses to be opened, and stays.
    openIndex(paths.indexDatabase).close();
    removeIndex(paths.indexDatabase);
    await this.addDocuments();
    if (withWords) rebuildWords(db);
    else if (countDocuments(db) <= MOST_CHECKED) rebuildWords(db, findBrokenWords(db));
    if (this.job) this.job.step = 'vectors';
  }

  private describeJob({ documents, models }: IndexStatus): ReindexJob | null {
    if (!this.job) return null;
    const waiting = models.reduce((sum, model) => sum + model.waiting, 0);
    if (this.job.step === 'vectors' && this.opened && waiting === 0) this.job.step = 'done';
    const total = documents * models.length;
    return { ...this.job, total, done: total - waiting };
  }

  /** Of memories that have none, a few at a time, half of the time at most. Killed in between, the next one goes on. */
  private async addDocuments(): Promise<void> {
    for (let next: number | null = 0; next !== null && !this.isClosed; ) {
      const startedAt = performance.now();
      next = documentMore(this.deps.db, next);
      await Bun.sleep(performance.now() - startedAt);
    }
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

type Choice = {
  /** `static` first: its vectors are there at once. */
  embedders: { embedder: Embedder; pace: Pace }[];
  /** Why one that is set cannot be used. */
  problem: string | null;
};

/** In this process, a third of a millisecond for each: with so many the event loop is held for 3 ms. */
const STATIC_PACE: Pace = { parts: 8, isCapped: false };
/** At most 0.1 s for each: what is new waits for no more than these. */
const MODEL_PACE: Pace = { parts: 6, isCapped: true };
const ENDPOINT_PACE: Pace = { parts: 32, isCapped: true };

/** Changes when other embedders are set. */
const stampEmbedders = ({ embedder, embedderUrl, embedderModel, apiKey }: Config): string =>
  JSON.stringify(embedder === 'openai' ? [embedder, embedderUrl, embedderModel, apiKey] : [embedder]);

/** From the settings, and from nothing that a repository can set. */
function chooseEmbedders({ embedder: chosen, embedderUrl, embedderModel, apiKey }: Config, log: Log): Choice {
  if (chosen === 'off') return { embedders: [], problem: null };
  const { command, assets } = findEmbedder();
  const fast = { embedder: createLazyStatic(assets), pace: STATIC_PACE };
  if (chosen === 'static') return { embedders: [fast], problem: null };
  if (chosen === 'minilm') {
    const onEvent = ({ kind, ...details }: { kind: string }) => log.debug(`the embedding process ${kind}`, details);
    return {
      embedders: [fast, { embedder: new ChildEmbedder({ engine: 'minilm', command, onEvent }), pace: MODEL_PACE }],
      problem: null,
    };
  }
  try {
    // The key of the model's provider, if it was set for the same host: it is sent nowhere else.
    const key = apiKey && apiKey.host === URL.parse(embedderUrl)?.host ? apiKey : null;
    const embedder = createOpenAiEmbedder({ baseUrl: embedderUrl, model: embedderModel, key });
    return { embedders: [fast, { embedder, pace: ENDPOINT_PACE }], problem: null };
  } catch (error) {
    return { embedders: [fast], problem: messageOf(error) };
  }
}
