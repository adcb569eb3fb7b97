// Decides when waiting batches are put to the model: when the user goes on, the session ends or is quiet; one at a time in a session.
import type { Database } from 'bun:sqlite';
import type { Log } from '../../log.ts';
import { givenUpReason } from '../../model/given-up.ts';
import { type Deepened, keepLocal } from '../../model/keep-local.ts';
import type { DeepenDeps } from '../../model/open-batch.ts';
import type { PromptOptions } from '../../model/question.ts';
import { nameTurn } from '../../observer/distil-turn.ts';
import { listWaitingBatches, noteTrial, quietSince, type StoredBatch } from '../../store/events/batches.ts';
import { getPause, type Pause } from '../../store/spending/model-pauses.ts';

export type Deepener = {
  /** A batch may be waiting: look soon. */
  wake: () => void;
  /** Something waits that will be asked without anybody's help. */
  hasWork: () => boolean;
  /** Cuts off the question that is put about this session, if there is one; resolves when it has ended. */
  stopSession: (sessionId: number) => Promise<void>;
  close: () => Promise<void>;
};

export type DeepenerDeps = {
  db: Database;
  /** How to ask just now; null when no model is set. */
  findModel: () => Model | null;
  /** Called after a batch's memories were replaced. */
  onStored?: () => void;
  log: Log;
  clock: () => number;
};

/** How to ask. What the prompts need is loaded with the first question: a starting worker has hooks to answer. */
export type Model = Omit<DeepenDeps, 'signal' | 'db' | 'clock' | 'log' | 'prompt'> & {
  loadPrompt: () => Promise<PromptOptions>;
  /** Two at most; one when the budget runs low, so that it is passed by one call at most, whatever that costs. */
  mostAtOnce: () => number;
  /** How long a turn waits for what the user says next: that goes with the question. */
  quietMs: number;
};

/** Timers do not count the time a machine sleeps: now and then it is looked at afresh. */
const SWEEP_MS = 30_000;

export function createDeepener({ db, findModel, onStored, log, clock }: DeepenerDeps): Deepener {
  const stop = new AbortController();
  const running = new Map<number, Promise<void>>();
  const busySessions = new Map<number, { stop: AbortController; work: Promise<void> }>();
  let timer: Timer | null = null;
  /** After a fault of our own, such as a full disk: kept here, since the store may be what fails. */
  let restUntil = 0;

  const run = () => {
    timer = null;
    if (stop.signal.aborted) return;
    try {
      startDue();
    } catch (error) {
      // The database is locked or full: the sweep comes back to it.
      log.error('no batch could be put to the model', { error: String(error) });
    }
  };

  const startDue = () => {
    const model = findModel();
    const waiting = listWaitingBatches(db).filter((batch) => !busySessions.has(batch.sessionId));
    // Also while nobody may ask: a pause can outlast a batch. Behind the first of a session there may be more.
    const whyNot = (batch: StoredBatch) => (model ? givenUpReason(batch, clock()) : 'no model is set');
    if (keepLocally(waiting, whyNot) > 0) return schedule(0);
    if (!model) return;
    const pause = getPause(db, model.access.id, clock());
    // After a failure one batch goes ahead, the one that failed least; the others follow when it came through.
    const free = (pause ? 1 : model.mostAtOnce()) - running.size;
    const timed = waiting.map((batch) => ({ batch, at: Math.max(dueAt(batch, pause), readyAt(batch, model)) }));
    const due = timed
      .filter(({ at }) => at <= clock())
      .map(({ batch }) => batch)
      .sort((one, other) => one.failures - other.failures || one.id - other.id);
    for (const batch of due.slice(0, Math.max(0, free))) start(batch, model);
    const times = timed.map(({ at }) => at);
    if (times.length > 0 && running.size === 0) schedule(Math.min(...times) - clock());
  };

  const readyAt = (batch: StoredBatch, { quietMs }: Model) => {
    const since = quietSince(db, batch);
    return since === null ? 0 : since + quietMs;
  };

  const keepLocally = (batches: StoredBatch[], whyNot: (batch: StoredBatch) => string | null) => {
    const ended = batches.flatMap((batch) => {
      const reason = whyNot(batch);
      return reason === null ? [] : [{ batch, reason }];
    });
    for (const { batch, reason } of ended) report(batch, keepLocal(db, batch.id, reason));
    return ended.length;
  };

  const deepen = async (
    batch: StoredBatch,
    { loadPrompt, mostAtOnce: _most, quietMs: _quiet, ...model }: Model,
    signal: AbortSignal,
  ) => {
    const { deepenBatch } = await import('../../model/deepen-batch.ts');
    const deps = { ...model, prompt: await loadPrompt(), db, log, clock, signal };
    return deepenBatch(deps, batch.id);
  };

  const start = (batch: StoredBatch, model: Model) => {
    const own = new AbortController();
    const work = deepen(batch, model, AbortSignal.any([stop.signal, own.signal]))
      .then((result) => report(batch, result))
      .catch((error) => {
        restUntil = performance.now() + model.retryMs;
        log.error('a batch could not be put to the model', { ...named(batch), error: error?.stack ?? String(error) });
        noteTrial(db, batch.id, { failures: batch.failures + 1, nextTryAt: Math.ceil(clock() + model.retryMs) });
      })
      .catch((error) => log.error('its failure could not be noted', { ...named(batch), error: String(error) }))
      .finally(() => {
        running.delete(batch.id);
        busySessions.delete(batch.sessionId);
        schedule(restUntil - performance.now());
      });
    running.set(batch.id, work);
    busySessions.set(batch.sessionId, { stop: own, work });
  };

  const report = (batch: StoredBatch, result: Deepened) => {
    log.info('deepened', { ...named(batch), ...result });
    onStored?.();
  };

  const schedule = (delayMs: number) => {
    if (stop.signal.aborted) return;
    if (timer) clearTimeout(timer);
    timer = setTimeout(run, Math.min(Math.max(0, delayMs), SWEEP_MS));
  };
  const sweep = setInterval(() => schedule(0), SWEEP_MS);

  return {
    wake: () => schedule(restUntil - performance.now()),
    hasWork() {
      if (running.size > 0) return true;
      const model = findModel();
      // A refused login waits for a person; the next worker will see whether one came.
      const isRefused = model !== null && getPause(db, model.access.id, clock())?.kind === 'auth';
      return !isRefused && listWaitingBatches(db).length > 0;
    },
    async stopSession(sessionId) {
      const run = busySessions.get(sessionId);
      run?.stop.abort();
      await run?.work;
    },
    async close() {
      stop.abort();
      clearInterval(sweep);
      if (timer) clearTimeout(timer);
      await Promise.all(running.values());
    },
  };
}

const named = (batch: StoredBatch) => ({ turn: nameTurn({ ...batch, batchId: batch.id }) });

const dueAt = (batch: StoredBatch, pause: Pause | null) => Math.max(batch.nextTryAt, pause?.until ?? 0);
