// The model's part of the observer, put together from the settings as they are now.
import type { Database } from 'bun:sqlite';
import type { Config } from '../../config.ts';
import type { Batch } from '../../core/batch.ts';
import type { ReadEvidence } from '../../core/evidence.ts';
import type { Spent } from '../../core/usage.ts';
import { type Budget, findExhausted, startOfDay } from '../../llm/budget.ts';
import { endLeftover } from '../../llm/claude/end-leftovers.ts';
import type { Log } from '../../log.ts';
import type { Mode } from '../../model/modes.ts';
import { isWorthAsking } from '../../model/worth-asking.ts';
import { nameTurn, type Observe, type Settle } from '../../observer/distil-turn.ts';
import type { PlaceOf } from '../../observer/place-drafts.ts';
import type { Paths } from '../../paths.ts';
import {
  countQuarantinedBatches,
  countWaitingBatches,
  getBatch,
  lastBudgetReason,
  noteTrial,
} from '../../store/events/batches.ts';
import { findSession } from '../../store/sessions/sessions.ts';
import { loseStartedCalls } from '../../store/spending/model-calls.ts';
import { clearRefusals, getPause, type Pause } from '../../store/spending/model-pauses.ts';
import { spentSince } from '../../store/spending/spend.ts';
import { createIsForeign } from '../projects/is-foreign.ts';
import { createDeepener, type Deepener } from './deepener.ts';
import { type Choice, chooseModel, stampLogin } from './model-access.ts';
import { nextNotice } from './notices.ts';

export type ModelStatus = {
  /** Null: the local observer alone. */
  provider: string | null;
  model: string | null;
  why: string;
  waiting: number;
  quarantined: number;
  pause: (Pause & { untilIso: string }) | null;
  spentToday: Spent;
  budget: Budget;
  /** Why turns of today are left to the rules. */
  exhausted: string | null;
  problems: string[];
};

export type ModelObserver = Deepener & {
  isForModel: (batch: Batch) => boolean;
  status: () => ModelStatus;
  notice: () => string;
};

export type ModelObserverDeps = {
  db: Database;
  paths: Paths;
  config: () => Config;
  observe: Observe;
  settle?: Settle;
  readEvidence?: ReadEvidence;
  placeOf?: PlaceOf;
  onStored?: () => void;
  log: Log;
  clock: () => number;
};

/** What a small question costs with its answer: with less left than this, nothing more is asked today. */
const SMALL_CALL_TOKENS = 7000;
/** With room for fewer calls than this, one is asked at a time: its price is known before the next. */
const AMPLE_CALLS = 12;

export function createModelObserver(deps: ModelObserverDeps): ModelObserver {
  const { db, paths, config, observe, settle, readEvidence, placeOf, onStored, log, clock } = deps;
  endLostCalls(db, log);
  // Whoever starts a worker may have seen to what was refused.
  clearRefusals(db);
  let known: { config: Config; login: number; choice: Choice } | null = null;
  let modeProblem: string | null = null;
  const current = () => {
    const now = config();
    const login = stampLogin(now);
    if (known?.config === now && known.login === login) return known;
    if (known) onChange();
    known = { config: now, login, choice: chooseModel(now, paths) };
    return known;
  };
  /** Another model, or the same with another login, may take what was refused. */
  const onChange = () => {
    clearRefusals(db);
    queueMicrotask(deepener.wake);
  };
  const isAmple = (budget: Budget) =>
    budget.dailyTokens - spentSince(db, startOfDay(clock())).tokens > AMPLE_CALLS * SMALL_CALL_TOKENS;
  const findModel = () => {
    const { config, choice } = current();
    if (!choice.access) return null;
    return {
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
      observe,
      settle,
      readEvidence,
      placeOf,
      isForeign: createIsForeign(db),
      random: Math.random,
    };
  };
  const deepener = createDeepener({ db, findModel, onStored, log, clock });

  const status = (): ModelStatus => {
    const { config, choice } = current();
    const spentToday = spentSince(db, startOfDay(clock()));
    const session = { tokens: 0, calls: 0 };
    const budget = budgetOf(config);
    const pause = choice.access && getPause(db, choice.access.id, clock());
    const exhausted = findExhausted({ today: spentToday, session, costTokens: SMALL_CALL_TOKENS }, budget);
    return {
      provider: choice.access?.provider ?? null,
      model: choice.access?.model ?? null,
      why: choice.why,
      waiting: countWaitingBatches(db),
      quarantined: countQuarantinedBatches(db),
      pause: pause && { ...pause, untilIso: new Date(pause.until).toISOString() },
      spentToday,
      budget,
      exhausted: exhausted ?? lastBudgetReason(db, startOfDay(clock())),
      problems: modeProblem === null ? [] : [modeProblem],
    };
  };

  return {
    ...deepener,
    isForModel: (batch) => current().choice.access !== null && isWorthAsking(batch) && !isAborted(db, batch),
    status,
    notice: () => {
      const { config, choice } = current();
      const { pause, exhausted } = choice.access ? status() : NO_ACCESS;
      const access = choice.access && { id: choice.access.id, pause };
      return nextNotice({ db, config, access, exhausted, now: clock() });
    },
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
  const { loadMode, ModeError } = await import('../../model/modes.ts');
  try {
    return { mode: loadMode(name, folder), problem: null };
  } catch (error) {
    if (!(error instanceof ModeError)) throw error;
    return { mode: loadMode('code', null), problem: `${error.message} The mode "code" holds.` };
  }
}

const NO_ACCESS = { pause: null, exhausted: null };

const budgetOf = (config: Config): Budget => ({
  dailyTokens: config['budget.dailyTokens'],
  dailyCalls: config['budget.dailyCalls'],
  sessionTokens: config['budget.sessionTokens'],
  sessionCalls: config['budget.sessionCalls'],
});
