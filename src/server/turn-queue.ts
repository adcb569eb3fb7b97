// Decides when waiting events are processed: at the end of a turn, when enough came together, or after silence.
import type { Database } from 'bun:sqlite';
import { cameByHooks } from '../capture/events.ts';
import { findTurnEnd, listWaitingSessions, retrySetAside, returnClaimed, type WaitingSession } from '../capture/queue.ts';
import type { Reconcile } from '../capture/reconcile.ts';
import type { Batch } from '../core/observation.ts';
import { createFindKnown } from '../import/same-memory.ts';
import type { Log } from '../log.ts';
import { type ProcessDeps, processTurn, type TurnResult } from '../observe/process-turn.ts';
import type { Watch } from './self-watch.ts';
import type { Latencies } from './status.ts';

type TurnQueueDeps = Omit<ProcessDeps, 'isForModel' | 'findKnown' | 'claim'> & {
  db: Database;
  /** Reads what hooks did not deliver: a session that it reads waits. */
  reconcile: Pick<Reconcile, 'isBusy' | 'readNow' | 'settle'>;
  model: { isForModel: (batch: Batch) => boolean; wake: () => void };
  onStored: () => void;
  latencies: Pick<Latencies, 'note'>;
  watch: Watch;
  /** After so long it is no chance that this worker lives. */
  stableMs: number;
  onFault: (error: unknown) => void;
  log: Log;
};

/** Tool hooks run beside the agent: the last one may arrive a little after the stop of its turn. */
const SETTLE_MS = 100;
/** Hooks that never end hold up a turn no longer than that: only in a flood is there no pause of a tenth of a second. */
const GIVE_WAY_MS = 10_000;
/** The store takes nothing just now: soon again, but not at once. */
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
/** More sessions than anybody has at once. */
const MOST_ARRIVALS = 500;

export class TurnQueue {
  readonly #deps: TurnQueueDeps;
  readonly #process: ProcessDeps;
  readonly #sweep: Timer;
  readonly #stable: Timer;
  #timer: Timer | null = null;
  /** Sessions that were found ready; looked for again when all of them are done. */
  #ready: WaitingSession[] = [];
  /** When the last event of each session came, the latest last: by the hook's clock, and by ours, null once its turn is processed. */
  readonly #arrivals = new Map<number, { receivedAt: number; at: number | null }>();
  #lastSuccessAt: number | null = null;
  #hooks = 0;
  #answeredAt = Number.NEGATIVE_INFINITY;
  #waitingSince: number | null = null;
  #restUntil = 0;
  /** The store failed in the middle of a turn: its events may still be claimed. */
  #isOwed = false;

  constructor(deps: TurnQueueDeps) {
    this.#deps = deps;
    this.#process = { ...deps, isForModel: deps.model.isForModel, findKnown: createFindKnown(deps.db) };
    this.#sweep = setInterval(() => this.#schedule(0), SWEEP_MS);
    this.#stable = setTimeout(this.#tryLast, deps.stableMs);
  }

  lastSuccessAt = () => this.#lastSuccessAt;

  /** A session may be ready: look at it soon. */
  wake = () => this.#schedule(SETTLE_MS);

  /** Somebody waits for an answer until what this gives back is called: what nobody waits for goes on after it. */
  giveWay(): () => void {
    this.#hooks++;
    return () => {
      this.#hooks--;
      this.#answeredAt = performance.now();
    };
  }

  /** Something of this session came in just now; when its hook saw it. Its agent may say that it happened at another time. */
  noteArrival(sessionId: number, receivedAt: number): void {
    this.#arrivals.delete(sessionId);
    this.#arrivals.set(sessionId, { at: performance.now(), receivedAt });
    const [oldest] = this.#arrivals.keys();
    if (this.#arrivals.size > MOST_ARRIVALS && oldest !== undefined) this.#arrivals.delete(oldest);
  }

  /**
   * Processes what is ready in a project, for at most so long; what is left goes on in the background. `own`: the session that
   * asks, by its agent's name. It knows itself; of the others it is looked whether their last turn was interrupted.
   */
  finishProject = async (projectId: number, budgetMs: number, own?: string): Promise<void> => {
    const { db, reconcile } = this.#deps;
    const deadline = performance.now() + budgetMs;
    const others = listWaitingSessions(db, projectId).map(({ hostSessionId }) => hostSessionId);
    reconcile.readNow(others.filter((session) => session !== own));
    await reconcile.settle(budgetMs / 2);
    try {
      const ready = this.#findReady(projectId, SILENCE_AT_START_MS);
      while (performance.now() < deadline && this.#step(ready)) await nextTurn();
    } catch (error) {
      // What was observed before can be told all the same.
      this.#giveUp(error);
    }
    this.#schedule(0);
  };

  close(): void {
    clearInterval(this.#sweep);
    clearTimeout(this.#stable);
    if (this.#timer) clearTimeout(this.#timer);
    try {
      if (this.#isOwed) returnClaimed(this.#deps.db);
    } catch (error) {
      this.#deps.log.error('a turn is left as if a worker had died at it', { error: String(error) });
    }
  }

  #schedule(delayMs: number): void {
    this.#timer ??= setTimeout(this.#run, delayMs);
  }

  #run = () => {
    this.#timer = null;
    const now = performance.now();
    this.#waitingSince ??= now;
    const waitMs = Math.max(this.#restUntil - now, now - this.#waitingSince < GIVE_WAY_MS ? this.#hooksMs(now) : 0);
    if (waitMs > 0) return this.#schedule(waitMs);
    this.#waitingSince = null;
    try {
      if (this.#ready.length === 0) this.#ready = this.#findReady();
      // One turn at a time, so that hooks are answered in between.
      if (this.#step(this.#ready)) this.#schedule(0);
    } catch (error) {
      this.#ready = [];
      this.#giveUp(error);
    }
  };

  /** Where a hook came, another comes: so long it is still to be waited for them. */
  #hooksMs = (now: number) => (this.#hooks > 0 ? SETTLE_MS : Math.max(0, this.#answeredAt + SETTLE_MS - now));

  #findReady(projectId: number | null = null, silenceMs = SILENCE_MS): WaitingSession[] {
    const { db, reconcile } = this.#deps;
    if (this.#isOwed) returnClaimed(db);
    this.#isOwed = false;
    const isReady = (one: WaitingSession) => one.hasEnded === 1 || this.#isOpenTurnDue(one, silenceMs);
    return listWaitingSessions(db, projectId).filter((one) => !reconcile.isBusy(one.hostSessionId) && isReady(one));
  }

  #isOpenTurnDue({ sessionId, condensedSize, lastAt, isOver }: WaitingSession, silenceMs: number): boolean {
    const cameAt = this.#arrivals.get(sessionId)?.receivedAt ?? lastAt;
    return condensedSize >= FULL_BATCH_SIZE || Math.abs(this.#deps.clock() - cameAt) > (isOver ? SILENCE_AFTER_END_MS : silenceMs);
  }

  /** One turn of one of these sessions, which leaves them when it has no other; false when none is ready. */
  #step(sessions: WaitingSession[]): boolean {
    const { db, reconcile, watch, model } = this.#deps;
    // It may have become busy since it was found.
    const session = sessions.find((one) => !reconcile.isBusy(one.hostSessionId));
    if (!session) return false;
    const { sessionId } = session;
    // Nobody has asked for a model to look at what an import left: it would cost.
    const isForModel = (batch: Batch) => cameByHooks(db, sessionId) && model.isForModel(batch);
    const startedAt = performance.now();
    const result = watch(() => processTurn(db, sessionId, { ...this.#process, isForModel }));
    this.#note(result, sessionId, performance.now() - startedAt);
    if (result.kind === 'postponed') this.#restUntil = performance.now() + REST_MS;
    if (result.kind === 'postponed' || findTurnEnd(db, sessionId) === null) {
      sessions.splice(sessions.indexOf(session), 1);
      const arrived = this.#arrivals.get(sessionId);
      if (arrived) arrived.at = null;
    }
    return true;
  }

  #note(result: TurnResult, sessionId: number, tookMs: number): void {
    const { log, latencies, clock, model, onFault, onStored } = this.#deps;
    if (result.kind === 'failed' || result.kind === 'postponed') {
      onFault(result.error);
      log.error(`observing ${result.kind}`, { turn: result.turn, error: result.error.stack ?? result.error.message });
      return;
    }
    this.#lastSuccessAt = clock();
    if (result.kind === 'nothing') return;
    latencies.note('observe', tookMs);
    // From its last event: how long the agent itself took is not ours.
    const arrivedAt = this.#arrivals.get(sessionId)?.at ?? null;
    if (arrivedAt !== null) latencies.note('queueWait', performance.now() - arrivedAt);
    const { noSummary, ...done } = result;
    log.info('observed', { ...done, hasSummary: noSummary === null });
    if (noSummary) log[noSummary.isOdd ? 'info' : 'debug']('NO SUMMARY', { turn: done.turn, reason: noSummary.reason });
    if (result.isProvisional) model.wake();
    onStored();
  }

  /** The database is locked or full: the sweep comes back to it, or whoever sees that it is over. */
  #giveUp(error: unknown): void {
    this.#isOwed = true;
    this.#deps.onFault(error);
    this.#deps.log.error('observing was not possible', { error: String(error) });
  }

  #tryLast = () => {
    try {
      if (retrySetAside(this.#deps.db)) this.#schedule(0);
    } catch (error) {
      this.#deps.log.error('failed turns could not be tried again', { error: String(error) });
    }
  };
}

/** Hooks that wait are answered in between. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
