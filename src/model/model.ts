// The model's part of the observer, put together from the settings as they are now.
import type { Database } from 'bun:sqlite';
import { findSession } from '../capture/sessions.ts';
import type { Config } from '../config.ts';
import type { Batch } from '../core/observation.ts';
import type { ModelStatus } from '../core/shapes/worker.ts';
import type { Log } from '../log.ts';
import type { Paths } from '../paths.ts';
import { countBatches, getBatch, lastBudgetReason, noteTrial } from '../store/batches.ts';
import { type Budget, clearRefusals, findExhausted, getPause, loseStartedCalls, spentSince, startOfDay } from '../store/model-calls.ts';
import { refusalNotice, takeNotice } from '../store/notices.ts';
import { nameTurn, type ObserveDeps } from '../turns/batch.ts';
import type { Mode } from './instructions.ts';
import { type Choice, chooseModel, endLeftover, stampLogin } from './providers/choose.ts';
import { createModelQueue } from './queue.ts';
import { isWorthAsking } from './rules-stand.ts';

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
