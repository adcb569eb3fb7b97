// Decides when waiting events are distilled: at the end of a turn, when enough came together, or after silence.
import type { Database } from 'bun:sqlite';
import type { Log } from '../log.ts';
import { distilTurn, type Observe } from '../observer/distil-turn.ts';
import { listWaitingSessions, type WaitingSession } from '../store/queue.ts';

export type Distiller = {
  /** A session may be ready: look at it soon. */
  wake: () => void;
  /** Distils what is ready in a project, for at most so long; what is left goes on in the background. */
  finishProject: (projectId: number, budgetMs: number) => void;
  lastSuccessAt: () => number | null;
  close: () => void;
};

/** Tool hooks run beside the agent: the last one may arrive a little after the stop of its turn. */
const SETTLE_MS = 100;
const SWEEP_MS = 30_000;
/** An open turn is distilled without its end after this much silence: the agent was killed, or waits for its user. */
const SILENCE_MS = 10 * 60_000;
/** What makes a turn too long to wait for its end. */
const FULL_BATCH_SIZE = 60 * 1024;

export type DistillerDeps = { db: Database; observe: Observe; log: Log; clock: () => number };

export function createDistiller({ db, observe, log, clock }: DistillerDeps): Distiller {
  let timer: Timer | null = null;
  let lastSuccessAt: number | null = null;

  const isReady = (session: WaitingSession) =>
    session.isTurnOver || session.condensedSize >= FULL_BATCH_SIZE || clock() - session.lastAt > SILENCE_MS;

  /** One turn; false when nothing was ready. */
  const step = (isWanted: (session: WaitingSession) => boolean): boolean => {
    const session = listWaitingSessions(db).find((waiting) => isReady(waiting) && isWanted(waiting));
    if (!session) return false;
    const result = distilTurn(db, session.sessionId, observe);
    if (result.kind === 'failed') {
      log.error('distilling failed', { session: session.sessionId, error: result.error.stack ?? result.error.message });
    } else {
      lastSuccessAt = clock();
      log.info('distilled', { session: session.sessionId, ...result });
    }
    return true;
  };

  const run = () => {
    timer = null;
    // One turn at a time, so that hooks are answered in between.
    if (step(() => true)) schedule(0);
  };
  const schedule = (delayMs: number) => {
    timer ??= setTimeout(run, delayMs);
  };
  const sweep = setInterval(() => schedule(0), SWEEP_MS);

  return {
    wake: () => schedule(SETTLE_MS),
    finishProject(projectId, budgetMs) {
      const deadline = performance.now() + budgetMs;
      while (performance.now() < deadline && step((session) => session.projectId === projectId));
      schedule(0);
    },
    lastSuccessAt: () => lastSuccessAt,
    close: () => {
      clearInterval(sweep);
      if (timer) clearTimeout(timer);
    },
  };
}
