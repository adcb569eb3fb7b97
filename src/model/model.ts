// The model's part of the observer, put together from the settings as they are now.
import type { Database } from 'bun:sqlite';
import { findSession } from '../capture/sessions.ts';
import type { Config } from '../config.ts';
import type { Batch } from '../core/observation.ts';
import type { ModelStatus } from '../core/shapes/worker.ts';
import type { Log } from '../log.ts';
import type { Paths } from '../paths.ts';
import { countBatches, getBatch, lastBudgetReason, listWaitingBatches, noteTrial, quietSince, type StoredBatch } from '../store/batches.ts';
import { refusalNotice, takeNotice } from '../store/counters.ts';
import {
  type Budget,
  clearRefusals,
  findExhausted,
  getPause,
  loseStartedCalls,
  type Pause,
  spentSince,
  startOfDay,
} from '../store/model-calls.ts';
import { nameTurn, type ObserveDeps } from '../turns/batch.ts';
import type { Mode } from './instructions.ts';
import { type Choice, chooseModel, endLeftover, stampLogin } from './providers/choose.ts';
import type { PromptOptions } from './question.ts';
import { givenUpReason, isWorthAsking, keepLocal, type Summarised } from './rules-stand.ts';
import type { SummariseDeps } from './turn.ts';

type ModelObserverDeps = ObserveDeps & {
  db: Database;
  paths: Paths;
  config: () => Config;
  onStored?: () => void;
  log: Log;
  clock: () => number;
};

/** What a small question costs with its answer: with less left than this, nothing more is asked today. */
const SMALL_CALL_TOKENS = 7000;
/** With room for fewer calls than this, one is asked at a time: its price is known before the next. */
const AMPLE_CALLS = 12;

export function createModelObserver(deps: ModelObserverDeps) {
  const { db, paths, config, onStored, log, clock, ...rules } = deps;
  endLostCalls(db, log);
  // Whoever starts a worker may have seen to what was refused.
  clearRefusals(db);
  let modeProblem: string | null = null;
  const current = createChooser(deps, () => {
    // Another model, or the same with another login, may take what was refused.
    clearRefusals(db);
    queueMicrotask(queue.wake);
  });
  const isAmple = (budget: Budget) => budget.dailyTokens - spentSince(db, startOfDay(clock())).tokens > AMPLE_CALLS * SMALL_CALL_TOKENS;
  const findModel = () => {
    const { config, choice } = current();
    if (!choice.access) return null;
    return {
      ...rules,
      access: choice.access,
      loadPrompt: async () => {
        const { mode, problem } = await readMode(config.mode, paths.modes);
        modeProblem = problem;
        return { mode, verbosity: config.verbosity, language: config.language || null };
      },
      mostAtOnce: () => (isAmple(budgetOf(config)) ? 2 : 1),
      isWanted: () => current().choice.access?.id === choice.access?.id,
      budget: budgetOf(config),
      answerMs: config.answerSeconds * 1000,
      retryMs: config.retrySeconds * 1000,
      quietMs: config.quietSeconds * 1000,
    };
  };
  const queue = createModelQueue({ db, findModel, onStored, log, clock });
  const status = () => readStatus(db, current(), clock(), modeProblem);
  return {
    ...queue,
    isForModel: (batch: Batch) => current().choice.access !== null && isWorthAsking(batch) && !isAborted(db, batch),
    status,
    notice: () => nextNotice(db, current(), status(), clock()),
  };
}

type Chosen = { config: Config; login: number; choice: Choice };

function createChooser({ config, paths }: ModelObserverDeps, onChange: () => void): () => Chosen {
  let known: Chosen | null = null;
  return () => {
    const now = config();
    const login = stampLogin(now);
    if (known?.config === now && known.login === login) return known;
    if (known) onChange();
    known = { config: now, login, choice: chooseModel(now, paths) };
    return known;
  };
}

function readStatus(db: Database, { config, choice }: Chosen, now: number, modeProblem: string | null): ModelStatus {
  const budget = budgetOf(config);
  const pause = choice.access && getPause(db, choice.access.id, now);
  const exhausted = findExhausted(db, budget, { at: now, costTokens: SMALL_CALL_TOKENS, sessionId: null });
  return {
    provider: choice.access?.provider ?? null,
    model: choice.access?.model ?? null,
    why: choice.why,
    waiting: countBatches(db, 'waiting'),
    quarantined: countBatches(db, 'quarantined'),
    pause: pause && { ...pause, untilIso: new Date(pause.until).toISOString() },
    spentToday: spentSince(db, startOfDay(now)),
    budget,
    exhausted: exhausted ?? lastBudgetReason(db, startOfDay(now)),
    problems: modeProblem === null ? [] : [modeProblem],
  };
}

/** What still waited when its session was aborted is left to the rules. */
function isAborted(db: Database, { events: [event] }: Batch): boolean {
  return event !== undefined && findSession(db, event.session)?.status === 'failed';
}

/** A worker that was killed may have left a process behind, and a question that nobody will read the answer to. */
function endLostCalls(db: Database, log: Log): void {
  for (const { batchId, pid, mark } of loseStartedCalls(db)) {
    if (pid !== null && mark !== null) endLeftover({ pid, mark });
    const batch = batchId === null ? null : getBatch(db, batchId);
    if (batch?.status === 'waiting') noteTrial(db, batch.id, { failures: batch.failures + 1 });
    const turn = batch && nameTurn({ ...batch, batchId: batch.id });
    log.warn('a question to the model was cut off by the end of a worker', { turn });
  }
}

/** Read anew for each question: a mode of the user's may have been corrected. */
async function readMode(name: string, folder: string): Promise<{ mode: Mode; problem: string | null }> {
  const { loadMode, ModeError } = await import('./instructions.ts');
  try {
    return { mode: loadMode(name, folder), problem: null };
  } catch (error) {
    if (!(error instanceof ModeError)) throw error;
    return { mode: loadMode('code', null), problem: `${error.message} The mode "code" holds.` };
  }
}

const budgetOf = (config: Config): Budget => ({
  dailyTokens: config['budget.dailyTokens'],
  dailyCalls: config['budget.dailyCalls'],
  sessionTokens: config['budget.sessionTokens'],
  sessionCalls: config['budget.sessionCalls'],
});

/** What a person is told once, at the start of a session: a question, a login that is refused, an empty budget; '' for nothing. */
function nextNotice(db: Database, { config, choice: { access } }: Chosen, { pause, exhausted }: ModelStatus, now: number): string {
  const notices: [string, string | null][] = [
    ['ask-claude-login', config.provider === 'auto' && config.claudeLogin === 'ask' ? question(config) : null],
    [refusalNotice(access?.id ?? ''), access && pause?.kind === 'auth' ? refusal(pause.message) : null],
    [`budget:${new Date(now).toLocaleDateString('sv')}`, access && exhausted ? tooLittle(exhausted) : null],
  ];
  const notice = notices.find(([name, text]) => text !== null && takeNotice(db, name, now));
  return notice ? ` ${notice[1]}` : '';
}

const refusal = (message: string) =>
  `The model refuses: ${message}${/[.!?]$/.test(message) ? '' : '.'} ` +
  'Memories are made by rules until it is changed; see `claude-mem status`.';

const tooLittle = (exhausted: string) =>
  `The model was not asked: ${exhausted}. Such turns are remembered by rules; see \`claude-mem stats\`.`;

function question(config: Config): string {
  const most = config['budget.dailyTokens'].toLocaleString('en');
  return (
    `It may also use your Claude login to write deeper memories, at most ${most} tokens of ` +
    `${config.model} a day. To allow it: \`claude-mem config set claudeLogin allow\`; never to be asked: ` +
    '`claude-mem config set claudeLogin deny`.'
  );
}

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

/** Decides when waiting batches are put to the model: when the user goes on, the session ends or is quiet; one at a time in a session. */
function createModelQueue({ db, findModel, onStored, log, clock }: QueueDeps) {
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
    const ask = async () => {
      const { summariseBatch } = await import('./summarise.ts');
      const signal = AbortSignal.any([stop.signal, own.signal]);
      return summariseBatch({ ...model, db, log, clock, signal, prompt: await model.loadPrompt() }, batch.id);
    };
    const work = ask()
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

const named = (batch: StoredBatch) => ({ turn: nameTurn({ ...batch, batchId: batch.id }) });

function askAt(db: Database, batch: StoredBatch, pause: Pause | null, { quietMs }: Model): number {
  const since = quietSince(db, batch);
  return Math.max(batch.nextTryAt, pause?.until ?? 0, since === null ? 0 : since + quietMs);
}

/** Timers do not count the time a machine sleeps: now and then it is looked at afresh. */
const SWEEP_MS = 30_000;

/** Calls after the delay that was set last, and every half minute. */
function createAlarm(ring: () => void) {
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
