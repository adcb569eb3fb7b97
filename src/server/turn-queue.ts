// Decides when waiting events are observed: at the end of a turn, when enough came together, or after silence.
import type { Database } from 'bun:sqlite';
import { cameByHooks } from '../capture/events.ts';
import { findTurnEnd, listWaitingSessions, retrySetAside, returnClaimed, type WaitingSession } from '../capture/queue.ts';
import type { Reconcile } from '../capture/reconcile.ts';
import type { Batch } from '../core/batch.ts';
import type { ReadEvidence } from '../core/evidence.ts';
import { createFindKnown } from '../import/same-memory.ts';
import type { Log } from '../log.ts';
import { processTurn, type TurnResult } from '../observe/process-turn.ts';
import { createIsForeign } from '../projects/foreign.ts';
import type { PlaceOf } from '../projects/other-repositories.ts';
import type { Observe, Settle } from '../turns/batch.ts';
import type { Latencies } from './status.ts';
import { STABLE_MS, type Watch } from './watchdog.ts';

export type TurnQueue = {
  /** A session may be ready: look at it soon. */
  wake: () => void;
  /** Somebody waits for an answer until what this gives back is called: what nobody waits for goes on after it. */
  giveWay: () => () => void;
  /** Something of this session came in just now; when its hook saw it. Its host may say that it happened at another time. */
  noteArrival: (sessionId: number, receivedAt: number) => void;
  /**
   * Observes what is ready in a project, for at most so long; what is left goes on in the background. `own`: the session that
   * asks, by its host's name. It knows itself; of the others it is looked whether their last turn was interrupted.
   */
  finishProject: (projectId: number, budgetMs: number, own?: string) => Promise<void>;
  lastSuccessAt: () => number | null;
  close: () => void;
};

/** Tool hooks run beside the agent: the last one may arrive a little after the stop of its turn. */
const SETTLE_MS = 100;
/** More events than this while it settles are a flood: no person's agent works that fast. */
const FLOOD_WAKES = 30;
const PATIENCE_MS = 10_000;
/** Hooks that never end hold up a turn no longer than that. */
const GIVE_WAY_MS = 500;
const AGAIN_MS = 2;
/** Where a hook came, another comes: so long after it a turn is followed by a rest of twice its time. */
const EXPECTED_MS = 1000;
const REST = 2;
const REST_MS = 1000;
const SWEEP_MS = 30_000;
/** An open turn is observed without its end after this much silence: the agent was killed, or waits for its user. */
const SILENCE_MS = 10 * 60_000;
/** In a session that is over nobody ends it any more: what was late, such as a prompt from the offline queue, waits only for its like. */
const SILENCE_AFTER_END_MS = 5000;
/** And after this much when a session begins that should know of it. */
const SILENCE_AT_START_MS = 60_000;
/** What makes a turn too long to wait for its end. */
const FULL_BATCH_SIZE = 60 * 1024;

type TurnQueueDeps = {
  db: Database;
  observe: Observe;
  settle?: Settle;
  /** What speaks for what is observed. */
  readEvidence?: ReadEvidence;
  /** Which other project something belongs to that was observed. */
  placeOf?: PlaceOf;
  /** Reads what hooks did not deliver: a session that it reads waits. */
  reconcile?: Pick<Reconcile, 'isBusy' | 'readNow' | 'settle'>;
  /** Looks at what was observed, later. */
  model: { isForModel: (batch: Batch) => boolean; wake: () => void };
  /** Called after a turn's memories were stored. */
  onStored?: () => void;
  latencies?: Pick<Latencies, 'note'>;
  watch?: Watch;
  /** After so long it is no chance that this worker lives. */
  stableMs?: number;
  /** The store could not be read or written. */
  onFault?: (error: unknown) => void;
  log: Log;
  clock: () => number;
};

export function createTurnQueue(deps: TurnQueueDeps): TurnQueue {
  const {
    db,
    observe,
    settle,
    readEvidence,
    placeOf,
    reconcile,
    model,
    onStored,
    latencies,
    onFault,
    log,
    clock,
    watch = (work) => work(),
    stableMs = STABLE_MS,
  } = deps;
  const { isForModel } = model;
  const findKnown = createFindKnown(db);
  const isForeign = createIsForeign(db);
  let timer: Timer | null = null;
  let lastSuccessAt: number | null = null;
  let wakes = 0;
  let waitingSince: number | null = null;
  let restUntil = 0;
  let hooks = 0;
  let answeredAt = Number.NEGATIVE_INFINITY;
  let steppedAt = 0;
  /** The store failed in the middle of a turn: its events may still be claimed. */
  let isOwed = false;
  const arrivals = createArrivals();

  /** Sessions that were found ready; looked for again when all of them are done. */
  let ready: WaitingSession[] = [];

  const isOpenTurnDue = ({ sessionId, condensedSize, lastAt, isOver }: WaitingSession, silenceMs: number) =>
    condensedSize >= FULL_BATCH_SIZE ||
    Math.abs(clock() - (arrivals.receivedAt(sessionId) ?? lastAt)) > (isOver ? SILENCE_AFTER_END_MS : silenceMs);

  const findReady = (projectId: number | null = null, silenceMs = SILENCE_MS) => {
    if (isOwed) returnClaimed(db);
    isOwed = false;
    return listWaitingSessions(db, projectId).filter(
      (session) => !reconcile?.isBusy(session.hostSessionId) && (session.hasEnded === 1 || isOpenTurnDue(session, silenceMs)),
    );
  };

  /** One turn of one of these sessions, which leaves them when it has no other; false when none is ready. */
  const step = (sessions: WaitingSession[]): boolean => {
    // It may have become busy since it was found.
    const session = sessions.find((one) => !reconcile?.isBusy(one.hostSessionId));
    if (!session) return false;
    // Nobody has asked for a model to look at what an import left: it would cost.
    const isAsked = (batch: Batch) => cameByHooks(db, session.sessionId) && isForModel(batch);
    const startedAt = performance.now();
    const processDeps = { observe, settle, isForModel: isAsked, readEvidence, placeOf, isForeign, findKnown, clock };
    const result = watch(() => processTurn(db, session.sessionId, processDeps));
    if (result.kind === 'failed' || result.kind === 'postponed') {
      onFault?.(result.error);
      const { turn, error } = result;
      log.error(`observing ${result.kind}`, { turn, error: error.stack ?? error.message });
    } else {
      lastSuccessAt = clock();
      if (result.kind === 'observed') {
        latencies?.note('observe', performance.now() - startedAt);
        // From its last event: how long the agent itself took is not ours. When that happened, its host says; we know when it came.
        const waitedMs = arrivals.waitedMs(session.sessionId);
        if (waitedMs !== null) latencies?.note('queueWait', waitedMs);
        tell(result);
      }
    }
    // The store takes nothing just now: soon again, but not at once.
    if (result.kind === 'postponed') restUntil = performance.now() + REST_MS;
    const isDone = result.kind === 'postponed' || findTurnEnd(db, session.sessionId) === null;
    if (isDone) {
      sessions.splice(sessions.indexOf(session), 1);
      arrivals.settle(session.sessionId);
    }
    return true;
  };

  const tell = (result: Extract<TurnResult, { kind: 'observed' }>) => {
    const { noSummary, ...done } = result;
    log.info('observed', { ...done, hasSummary: noSummary === null });
    if (noSummary) log[noSummary.isOdd ? 'info' : 'debug']('NO SUMMARY', { turn: done.turn, reason: noSummary.reason });
    if (result.isProvisional) model.wake();
    onStored?.();
  };

  const run = () => {
    timer = null;
    if (isBusy()) return schedule(SETTLE_MS);
    if (hooks > 0 && performance.now() - steppedAt < GIVE_WAY_MS) return schedule(AGAIN_MS);
    steppedAt = performance.now();
    if (performance.now() < restUntil) return schedule(restUntil - performance.now());
    try {
      if (ready.length === 0) ready = findReady();
      // One turn at a time, so that hooks are answered in between.
      if (step(ready)) return schedule(performance.now() - answeredAt < EXPECTED_MS ? REST * (performance.now() - steppedAt) : 0);
    } catch (error) {
      ready = [];
      giveUp(error);
    }
    waitingSince = null;
  };
  /** The database is locked or full: the sweep comes back to it, or whoever sees that it is over. */
  const giveUp = (error: unknown) => {
    isOwed = true;
    onFault?.(error);
    log.error('observing was not possible', { error: String(error) });
  };
  /** While events pour in, whoever sends them comes first; but not for ever. */
  const isBusy = () => {
    const isFlood = wakes > FLOOD_WAKES;
    wakes = 0;
    return isFlood && waitingSince !== null && performance.now() - waitingSince < PATIENCE_MS;
  };
  const schedule = (delayMs: number) => {
    timer ??= setTimeout(run, delayMs);
  };
  const sweep = setInterval(() => schedule(0), SWEEP_MS);
  const tryLast = () => {
    try {
      if (retrySetAside(db)) schedule(0);
    } catch (error) {
      log.error('turns that were set aside could not be tried again', { error: String(error) });
    }
  };
  const stable = setTimeout(tryLast, stableMs);

  return {
    wake() {
      wakes++;
      waitingSince ??= performance.now();
      schedule(SETTLE_MS);
    },
    giveWay() {
      hooks++;
      return () => {
        hooks--;
        answeredAt = performance.now();
      };
    },
    noteArrival: arrivals.note,
    async finishProject(projectId, budgetMs, own) {
      const deadline = performance.now() + budgetMs;
      const others = listWaitingSessions(db, projectId).map(({ hostSessionId }) => hostSessionId);
      reconcile?.readNow(others.filter((session) => session !== own));
      await reconcile?.settle(budgetMs / 2);
      try {
        const ready = findReady(projectId, SILENCE_AT_START_MS);
        while (performance.now() < deadline && step(ready)) await nextTurn();
      } catch (error) {
        // What was observed before can be told all the same.
        giveUp(error);
      }
      schedule(0);
    },
    lastSuccessAt: () => lastSuccessAt,
    close: () => {
      clearInterval(sweep);
      clearTimeout(stable);
      if (timer) clearTimeout(timer);
      try {
        if (isOwed) returnClaimed(db);
      } catch (error) {
        log.error('a turn is left as if a worker had died at it', { error: String(error) });
      }
    },
  };
}

/** Hooks that wait are answered in between. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

// When the last event of each session came, by two clocks: the hook's, and ours, which nobody can set.

/** `at`: here, by the clock of the process; null when its turn is observed. */
type Arrived = { at: number | null; receivedAt: number };
/** More sessions than anybody has at once. */
const MOST_ARRIVALS = 500;

function createArrivals() {
  /** The latest last. */
  const arrivals = new Map<number, Arrived>();
  return {
    note(sessionId: number, receivedAt: number): void {
      arrivals.delete(sessionId);
      arrivals.set(sessionId, { at: performance.now(), receivedAt });
      const [oldest] = arrivals.keys();
      if (arrivals.size > MOST_ARRIVALS && oldest !== undefined) arrivals.delete(oldest);
    },
    receivedAt: (sessionId: number): number | null => arrivals.get(sessionId)?.receivedAt ?? null,
    waitedMs(sessionId: number): number | null {
      const at = arrivals.get(sessionId)?.at ?? null;
      return at === null ? null : performance.now() - at;
    },
    /** All of it is observed. */
    settle(sessionId: number): void {
      const arrived = arrivals.get(sessionId);
      if (arrived) arrived.at = null;
    },
  };
}
