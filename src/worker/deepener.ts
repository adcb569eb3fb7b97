// Decides when waiting batches are put to the model: soon, one after the other in a session, and again when a pause is over.
import type { Database } from 'bun:sqlite';
import type { Log } from '../log.ts';
import { type Deepened, keepLocal } from '../observer/model/keep-local.ts';
import type { DeepenDeps } from '../observer/model/open-batch.ts';
import type { PromptOptions } from '../observer/prompt.ts';
import { listWaitingBatches, noteTrial, type StoredBatch } from '../store/batches.ts';
import { getPause } from '../store/model-pauses.ts';

export type Deepener = {
  /** A batch may be waiting: look soon. */
  wake: () => void;
  /** When there is something to ask: epoch ms, 0 for now; null when nothing waits. */
  nextAt: () => number | null;
  close: () => Promise<void>;
};

export type DeepenerDeps = {
  db: Database;
  /** How to ask just now; null when no model is set. */
  findModel: () => Model | null;
  log: Log;
  clock: () => number;
};

/** How to ask. What the prompts need is loaded with the first question: a starting worker has hooks to answer. */
export type Model = Omit<DeepenDeps, 'signal' | 'db' | 'clock' | 'log' | 'prompt'> & {
  loadPrompt: () => Promise<PromptOptions>;
};

const MAX_AT_ONCE = 2;
/** Timers do not count the time a machine sleeps: now and then it is looked at afresh. */
const SWEEP_MS = 30_000;

export function createDeepener({ db, findModel, log, clock }: DeepenerDeps): Deepener {
  const stop = new AbortController();
  const running = new Map<number, Promise<void>>();
  const busySessions = new Set<number>();
  let timer: Timer | null = null;

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
    if (!model) return keepAllLocal(waiting);
    const pause = getPause(db, model.access.id);
    // After a failure one batch goes ahead; the others follow when it came through.
    const free = (pause ? 1 : MAX_AT_ONCE) - running.size;
    const due = waiting.filter((batch) => dueAt(batch, pause?.until ?? 0) <= clock());
    for (const batch of due.slice(0, Math.max(0, free))) start(batch, model);
    const next = nextAt();
    if (next !== null && running.size === 0) schedule(Math.max(0, next - clock()));
  };

  /** The model was switched off since they were put in line. */
  const keepAllLocal = (waiting: StoredBatch[]) => {
    for (const batch of waiting) report(batch, keepLocal(db, batch.id, 'no model is set'));
    if (waiting.length > 0) schedule(0);
  };

  const deepen = async (batch: StoredBatch, { loadPrompt, ...model }: Model) => {
    const { deepenBatch } = await import('../observer/model/deepen-batch.ts');
    const deps = { ...model, prompt: await loadPrompt(), db, log, clock, signal: stop.signal };
    return deepenBatch(deps, batch.id);
  };

  const start = (batch: StoredBatch, model: Model) => {
    busySessions.add(batch.sessionId);
    const work = deepen(batch, model)
      .then((result) => report(batch, result))
      .catch((error) => {
        log.error('a batch could not be put to the model', { batch: batch.id, error: error?.stack ?? String(error) });
        noteTrial(db, batch.id, { failures: batch.failures + 1, nextTryAt: Math.ceil(clock() + model.retryMs) });
      })
      .catch((error) => log.error('its failure could not be noted', { batch: batch.id, error: String(error) }))
      .finally(() => {
        running.delete(batch.id);
        busySessions.delete(batch.sessionId);
        schedule(0);
      });
    running.set(batch.id, work);
  };

  const report = (batch: StoredBatch, result: Deepened) => {
    const turn = `${batch.sessionId}-${batch.promptNumber}-${batch.id}`;
    log.info('deepened', { turn, ...result });
  };

  const nextAt = () => {
    const model = findModel();
    const until = (model && getPause(db, model.access.id)?.until) ?? 0;
    const times = listWaitingBatches(db).map((batch) => dueAt(batch, until));
    return times.length === 0 ? null : Math.min(...times);
  };

  const schedule = (delayMs: number) => {
    if (stop.signal.aborted) return;
    if (timer) clearTimeout(timer);
    timer = setTimeout(run, Math.min(delayMs, SWEEP_MS));
  };
  const sweep = setInterval(() => schedule(0), SWEEP_MS);

  return {
    wake: () => schedule(0),
    nextAt: () => (running.size > 0 ? 0 : nextAt()),
    async close() {
      stop.abort();
      clearInterval(sweep);
      if (timer) clearTimeout(timer);
      await Promise.all(running.values());
    },
  };
}

const dueAt = (batch: StoredBatch, pausedUntil: number) => Math.max(batch.nextTryAt, pausedUntil);
