// What follows a failed question: wait, ask smaller, ask once more, or let the local result stand.
import { rateLimitDelayMs, retryDelayMs } from '../llm/backoff.ts';
import type { ModelError } from '../llm/model-error.ts';
import { noteTrial } from '../store/events/batches.ts';
import { dropAnswers } from '../store/spending/model-calls.ts';
import { getPause, type PauseKind, setPause } from '../store/spending/model-pauses.ts';
import { MAX_FAILURES } from './given-up.ts';
import type { DeepenDeps, OpenBatch } from './open-batch.ts';

export type After = { kind: 'waits'; reason: string } | { kind: 'local'; reason: string; isQuarantined: boolean };

/** An account or a model that is refused is looked at again this seldom, should the user have changed it elsewhere. */
const REFUSED_PAUSES = 120;
/** So many batches in a row that the model refuses are not the batches' fault. */
const REFUSALS_IN_A_ROW = 3;

export function decideAfter(deps: DeepenDeps, open: OpenBatch, failure: ModelError | 'unreadable'): After {
  const { db } = deps;
  return db
    .transaction((): After => {
      if (failure === 'unreadable') return askOnceMore(deps, open, 'the answer was not in the form that was asked for');
      const reason = `${failure.kind}: ${failure.message}`;
      switch (failure.kind) {
        case 'bad-answer':
          return askOnceMore(deps, open, reason);
        case 'unrecoverable':
          return askSmaller(deps, open, reason);
        case 'auth':
          pauseAll(deps, 'auth', { delayMs: () => deps.retryMs * REFUSED_PAUSES, message: failure.message });
          return { kind: 'waits', reason };
        case 'rate-limited':
          pauseAll(deps, 'rate-limited', {
            delayMs: (times) => untilFreeMs(deps, failure, times),
            message: failure.message,
          });
          return { kind: 'waits', reason };
        case 'transient':
          return tryLater(deps, open, failure);
      }
    })
    .immediate();
}

function askOnceMore({ db }: DeepenDeps, { stored }: OpenBatch, reason: string): After {
  if (stored.isRepaired) return { kind: 'local', reason, isQuarantined: false };
  noteTrial(db, stored.id, { isRepaired: true, reason });
  return { kind: 'waits', reason };
}

function askSmaller(deps: DeepenDeps, { stored }: OpenBatch, reason: string): After {
  const delayMs = (times: number) => (times >= REFUSALS_IN_A_ROW ? deps.retryMs * REFUSED_PAUSES : 0);
  if (stored.isShrunk) {
    pauseAll(deps, 'unrecoverable', { delayMs, message: reason });
    return { kind: 'local', reason, isQuarantined: true };
  }
  // What was said of its parts is not about the whole.
  dropAnswers(deps.db, stored.id);
  noteTrial(deps.db, stored.id, { isShrunk: true, reason });
  return { kind: 'waits', reason };
}

/** A model that fails for one fails for all: every batch waits, and one of them is the next to look. */
function tryLater(deps: DeepenDeps, { stored }: OpenBatch, failure: ModelError): After {
  const { retryMs: baseMs, random } = deps;
  const failures = stored.failures + 1;
  const isGivenUp = failures >= MAX_FAILURES;
  // It may have been this batch alone: the next one need not wait long to see.
  const delayMs = (times: number) => retryDelayMs({ failures: isGivenUp ? 1 : times, baseMs, random });
  const nextTryAt = pauseAll(deps, 'transient', { delayMs, message: failure.message });
  noteTrial(deps.db, stored.id, { failures, nextTryAt, reason: failure.message });
  if (!isGivenUp) return { kind: 'waits', reason: failure.message };
  return { kind: 'local', reason: `the model failed ${failures} times: ${failure.message}`, isQuarantined: false };
}

function untilFreeMs({ clock, retryMs: baseMs, random }: DeepenDeps, { until }: ModelError, times: number): number {
  if (until === null) return rateLimitDelayMs({ times, baseMs, random });
  // A server that says "soon" again and again is not asked again and again.
  return Math.max(until - clock(), times > 1 ? rateLimitDelayMs({ times: times - 1, baseMs, random }) : 0);
}

function pauseAll(
  { db, access, clock }: DeepenDeps,
  kind: PauseKind,
  pause: { delayMs: (times: number) => number; message: string },
): number {
  const at = clock();
  const before = getPause(db, access.id, at);
  const times = before?.kind === kind ? before.times + 1 : 1;
  const until = Math.ceil(at + pause.delayMs(times));
  setPause(db, access.id, { kind, until, times, message: pause.message, at });
  return until;
}
