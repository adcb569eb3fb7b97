// Group commit: whatever arrives in one turn of the event loop is stored in one synced transaction, then answered.
import type { Database } from 'bun:sqlite';
import { isPassing } from '../../core/passing-fault.ts';
import { type PrivateTimes, privateSince } from '../../core/private-mark.ts';
import { isSelfTest } from '../../core/self-test.ts';
import type { Log } from '../../log.ts';
import type { StoreGuard } from '../../server/store-guard.ts';
import type { DoorSettings } from '../silence/leave-out.ts';
import type { Watch } from '../watchdog.ts';
import type { Arrival } from './arrival.ts';
import { type Ingested, ingest } from './ingest.ts';

export type Intake = {
  /** Resolves after the commit; rejects when the arrival could not be stored. */
  take: (arrival: Arrival) => Promise<Ingested>;
  /** Stores what waits, now. */
  flush: () => void;
};

type Waiting = { arrival: Arrival; resolve: (ingested: Ingested) => void; reject: (error: Error) => void };

export type IntakeDeps = {
  db: Database;
  options: () => DoorSettings;
  /** When hooks say that private prompts of a session began and ended; null when there were none. */
  privateTimes?: (session: string) => PrivateTimes | null;
  /** Called for each right after the commit, before anything else runs: what must be known before a turn can be distilled. */
  onCommitted?: (ingested: Ingested) => void;
  /** Called for each soon after the commit. */
  onStored?: (ingested: Ingested) => void;
  guard: Pick<StoreGuard, 'refusal' | 'failed' | 'worked'>;
  log: Log;
  watch?: Watch;
};

/** More private prompts than this are not said while a disk is full. */
const MOST_OWED = 500;

export function createIntake(deps: IntakeDeps): Intake {
  const { db, options, onCommitted, onStored, guard, log, privateTimes, watch = (work) => work() } = deps;
  let waiting: Waiting[] = [];
  /** Private prompts that could not be stored, without their words: what follows them must not be kept, so they come first. */
  const owed = new Map<string, Arrival>();

  const flush = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) storeBatch(batch);
  };

  const storeBatch = (batch: Waiting[]) => {
    const full = guard.refusal();
    if (full) return refuse(batch, full);
    let results: Ingested[];
    try {
      const settings = options();
      const store = db.transaction(() => {
        for (const arrival of owed.values()) ingest(db, arrival, settings);
        return batch.map(({ arrival }) => ingest(db, arrival, settings));
      });
      results = watch(() => store.immediate());
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      guard.failed(cause);
      if (batch.length === 1 || isPassing(cause)) return refuse(batch, cause);
      // One bad arrival must not take its neighbours with it.
      for (const one of batch) storeBatch([one]);
      return;
    }
    owed.clear();
    guard.worked();
    if (onCommitted) results.forEach(onCommitted);
    for (const [at, result] of results.entries()) batch[at]?.resolve(result);
    // Whoever waits for the ack comes first.
    if (onStored) setImmediate(() => results.forEach(onStored));
  };

  const refuse = (batch: Waiting[], cause: Error) => {
    // What the guard knows of is said by it, once.
    if (!isPassing(cause))
      log.error('an arrival could not be stored', { id: batch[0]?.arrival.envelope.id, error: cause.message });
    for (const { arrival, reject } of batch) {
      const isOwed = arrival.kind === 'event' && arrival.isPrivate && owed.size < MOST_OWED;
      if (isOwed && isPassing(cause)) owed.set(arrival.envelope.id, arrival);
      reject(cause);
    }
  };

  /** All the way into the store, and back: nothing of it stays. */
  const rehearse = async (arrival: Arrival): Promise<Ingested> => {
    const isOver = new Error('it was a test');
    const test = db.transaction(() => {
      ingest(db, arrival, options());
      throw isOver;
    });
    try {
      test.immediate();
    } catch (error) {
      if (error !== isOver) throw error;
    }
    return { arrival, known: null, happened: null };
  };

  return {
    flush,
    take: (arrived) => {
      const arrival = privateTimes ? withMarks(arrived, privateTimes) : arrived;
      if (arrival.kind === 'event' && isSelfTest(arrival.event.session)) return rehearse(arrival);
      return new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ arrival, resolve, reject });
      });
    },
  };
}

/** What names no prompt may come before the private one that it lies under, or after the next: its hook knew. */
function withMarks(arrival: Arrival, privateTimes: (session: string) => PrivateTimes | null): Arrival {
  if (arrival.kind !== 'event' || arrival.event.promptId !== null || arrival.envelope.isFromTranscript) return arrival;
  const times = privateTimes(arrival.event.session);
  const since = times && privateSince(times, arrival.envelope.receivedAt);
  return since === null ? arrival : { ...arrival, markedSince: since };
}
