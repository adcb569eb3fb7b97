// Decides when waiting batches are put to the model: when the user goes on, the session ends or is quiet; one at a time in a session.
import type { Database } from 'bun:sqlite';
import type { Log } from '../log.ts';
import { listWaitingBatches, noteTrial, quietSince, type StoredBatch } from '../store/batches.ts';
import { getPause, type Pause } from '../store/model-calls.ts';
import { nameTurn } from '../turns/batch.ts';
import type { PromptOptions } from './question.ts';
import { givenUpReason, keepLocal, type Summarised } from './rules-stand.ts';
import type { SummariseDeps } from './turn.ts';

type QueueDeps = {
  db: Database;
  findModel: () => Model | null;
  onStored?: () => void;
  log: Log;
  clock: () => number;
};

/** How to ask. What the prompts need is loaded with the first question: a starting worker has hooks to answer. */
type Model = Omit<SummariseDeps, 'signal' | 'db' | 'clock' | 'log' | 'prompt'> & {
  loadPrompt: () => Promise<PromptOptions>;
  /** Two at most; one when the budget runs low, so that it is passed by one call at most, whatever that costs. */
  mostAtOnce: () => number;
  /** How long a turn waits for what the user says next: that goes with the question. */
  quietMs: number;
};

export function createModelQueue({ db, findModel, onStored, log, clock }: QueueDeps) {
  const stop = new AbortController();
  const running = new Map<number, { sessionId: number; stop: AbortController; work: Promise<void> }>();
  /** After a fault of our own, such as a full disk: kept here, since the store may be what fails. */
  let restUntil = 0;

  const startDue = () => {
    const model = findModel();
    const busy = new Set([...running.values()].map(({ sessionId }) => sessionId));
    const waiting = listWaitingBatches(db).filter((batch) => !busy.has(batch.sessionId));
    // Also while nobody may ask: a pause can outlast a batch. Behind the first of a session there may be more.
    const whyNot = (batch: StoredBatch) => (model ? givenUpReason(batch, clock()) : 'no model is set');
    if (keepLocally(waiting, whyNot) > 0) return alarm.set(0);
    if (!model) return;
    const pause = getPause(db, model.access.id, clock());
    // After a failure one batch goes ahead, the one that failed least; the others follow when it came through.
    const free = (pause ? 1 : model.mostAtOnce()) - running.size;
    const timed = waiting.map((batch) => ({ batch, at: askAt(db, batch, pause, model) }));
    const due = timed
      .filter(({ at }) => at <= clock())
      .map(({ batch }) => batch)
      .sort((one, other) => one.failures - other.failures || one.id - other.id);
    for (const batch of due.slice(0, Math.max(0, free))) start(batch, model);
    if (timed.length > 0 && running.size === 0) alarm.set(Math.min(...timed.map(({ at }) => at)) - clock());
  };

  const keepLocally = (batches: StoredBatch[], whyNot: (batch: StoredBatch) => string | null) => {
    const ended = batches.filter((batch) => whyNot(batch) !== null);
    for (const batch of ended) report(batch, keepLocal(db, batch.id, whyNot(batch) ?? ''));
    return ended.length;
  };

  const start = (batch: StoredBatch, model: Model) => {
    const own = new AbortController();
    const work = summarise(batch, model, { db, log, clock, signal: AbortSignal.any([stop.signal, own.signal]) })
      .then((result) => report(batch, result))
      .catch((error) => {
        restUntil = performance.now() + model.retryMs;
        log.error('a batch could not be put to the model', { ...named(batch), error: error?.stack ?? String(error) });
        noteTrial(db, batch.id, { failures: batch.failures + 1, nextTryAt: Math.ceil(clock() + model.retryMs) });
      })
      .catch((error) => log.error('its failure could not be noted', { ...named(batch), error: String(error) }))
      .finally(() => {
        running.delete(batch.id);
        alarm.set(restUntil - performance.now());
      });
    running.set(batch.id, { sessionId: batch.sessionId, stop: own, work });
  };

  const report = (batch: StoredBatch, result: Summarised) => {
    log.info('summarised with a model', { ...named(batch), ...result });
    onStored?.();
  };

  const alarm = createAlarm(() => {
    try {
      startDue();
    } catch (error) {
      // The database is locked or full: the sweep comes back to it.
      log.error('no batch could be put to the model', { error: String(error) });
    }
  });

  return {
    wake: () => alarm.set(restUntil - performance.now()),
    /** Something waits that will be asked without anybody's help. */
    hasWork() {
      if (running.size > 0) return true;
      const model = findModel();
      // A refused login waits for a person; the next worker will see whether one came.
      const isRefused = model !== null && getPause(db, model.access.id, clock())?.kind === 'auth';
      return !isRefused && listWaitingBatches(db).length > 0;
    },
    /** Cuts off the question that is put about this session, if there is one; resolves when it has ended. */
    async stopSession(sessionId: number) {
      const run = [...running.values()].find((one) => one.sessionId === sessionId);
      run?.stop.abort();
      await run?.work;
    },
    async close() {
      stop.abort();
      alarm.close();
      await Promise.all([...running.values()].map(({ work }) => work));
    },
  };
}

type Deps = Pick<SummariseDeps, 'db' | 'log' | 'clock' | 'signal'>;

async function summarise(batch: StoredBatch, model: Model, deps: Deps): Promise<Summarised> {
  const { summariseBatch } = await import('./summarise.ts');
  return summariseBatch({ ...model, ...deps, prompt: await model.loadPrompt() }, batch.id);
}

const named = (batch: StoredBatch) => ({ turn: nameTurn({ ...batch, batchId: batch.id }) });

function askAt(db: Database, batch: StoredBatch, pause: Pause | null, { quietMs }: Model): number {
  const since = quietSince(db, batch);
  return Math.max(batch.nextTryAt, pause?.until ?? 0, since === null ? 0 : since + quietMs);
}

/** Timers do not count the time a machine sleeps: now and then it is looked at afresh. */
const SWEEP_MS = 30_000;

/** Calls after the delay that was set last, and every half minute. */
function createAlarm(ring: () => void): { set: (delayMs: number) => void; close: () => void } {
  let timer: Timer | undefined;
  let isClosed = false;
  const set = (delayMs: number) => {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(ring, Math.min(Math.max(0, delayMs), SWEEP_MS));
  };
  const sweep = setInterval(() => set(0), SWEEP_MS);
  return {
    set,
    close: () => {
      isClosed = true;
      clearInterval(sweep);
      clearTimeout(timer);
    },
  };
}
