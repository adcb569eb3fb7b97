// Group commit: whatever arrives in one turn of the event loop is stored in one synced transaction, then answered.
import type { Database } from 'bun:sqlite';
import { isSelfTest, type PrivateTimes, privateSince } from '../core/envelope.ts';
import { isPassing } from '../core/passing-fault.ts';
import type { Log } from '../log.ts';
import { type Ingested, ingest, nothingOf } from './ingest.ts';
import type { CaptureSettings } from './judge.ts';
import type { Arrival } from './message.ts';
import { holdSilences } from './silence.ts';

type Waiting = { arrival: Arrival; resolve: (ingested: Ingested) => void; reject: (error: Error) => void };

type IntakeDeps = {
  db: Database;
  options: () => CaptureSettings;
  clock: () => number;
  /** When hooks say that private prompts of a session began and ended; null when there were none. */
  privateTimes: (session: string) => PrivateTimes | null;
  /** Called for each right after the commit, before anything else runs: what must be known before a turn can be processed. */
  onCommitted: (ingested: Ingested) => void;
  /** Called for each soon after the commit. */
  onStored: (ingested: Ingested) => void;
  /** `refusal`: why nothing can be written now. `failed`, `worked`: what became of it. */
  guard: { refusal: () => Error | null; failed: (error: unknown) => void; worked: () => void };
  log: Log;
  /** Ends the process if it hangs. */
  watch: <T>(work: () => T) => T;
};

/** More private prompts than this are not said while a disk is full. */
const MOST_OWED = 500;

export class Intake {
  private readonly deps: IntakeDeps;
  private waiting: Waiting[] = [];
  /** Private prompts that could not be stored, without their words: what follows them must not be kept, so they come first. */
  private readonly owed = new Map<string, Arrival>();

  constructor(deps: IntakeDeps) {
    this.deps = deps;
  }

  /** Resolves after the commit; rejects when the arrival could not be stored. */
  async take(arrived: Arrival): Promise<Ingested> {
    const arrival = this.withMarks(arrived);
    if (arrival.kind === 'event' && isSelfTest(arrival.event.session)) return this.rehearse(arrival);
    const { promise, resolve, reject } = Promise.withResolvers<Ingested>();
    if (this.waiting.length === 0) setImmediate(() => this.flush());
    this.waiting.push({ arrival, resolve, reject });
    return promise;
  }

  /** Stores what waits, now. */
  flush(): void {
    const batch = this.waiting;
    this.waiting = [];
    if (batch.length > 0) this.storeBatch(batch);
  }

  private storeBatch(batch: Waiting[]): void {
    const { db, options, clock, guard, watch, onCommitted, onStored } = this.deps;
    const full = guard.refusal();
    if (full) {
      this.refuse(batch, full);
      return;
    }
    let results: Ingested[];
    try {
      const settings = options();
      const store = db.transaction(() => {
        holdSilences(db, clock());
        for (const arrival of this.owed.values()) ingest(db, arrival, settings);
        return batch.map(({ arrival }) => ingest(db, arrival, settings));
      });
      results = watch(() => store.immediate());
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      guard.failed(cause);
      if (batch.length === 1 || isPassing(cause)) this.refuse(batch, cause);
      // One bad arrival must not take its neighbours with it.
      else for (const one of batch) this.storeBatch([one]);
      return;
    }
    this.owed.clear();
    guard.worked();
    results.forEach(onCommitted);
    for (const [at, result] of results.entries()) batch[at]?.resolve(result);
    // Whoever waits for the ack comes first.
    setImmediate(() => results.forEach(onStored));
  }

  private refuse(batch: Waiting[], cause: Error): void {
    const isOfStore = isPassing(cause);
    // What the guard knows of is said by it, once.
    if (!isOfStore) this.deps.log.error('an arrival could not be stored', { id: batch[0]?.arrival.envelope.id, error: cause.message });
    for (const { arrival, reject } of batch) {
      const isOwed = isOfStore && arrival.kind === 'event' && arrival.isPrivate && this.owed.size < MOST_OWED;
      if (isOwed) this.owed.set(arrival.envelope.id, arrival);
      reject(cause);
    }
  }

  /** All the way into the store, and back: nothing of it stays. */
  private rehearse(arrival: Arrival): Ingested {
    const { db, options } = this.deps;
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
    return nothingOf(arrival);
  }

  /** What names no prompt may come before the private one that it lies under, or after the next: its hook knew. */
  private withMarks(arrival: Arrival): Arrival {
    if (arrival.kind !== 'event' || arrival.event.promptId !== null || arrival.envelope.isFromTranscript) return arrival;
    const times = this.deps.privateTimes(arrival.event.session);
    const since = times && privateSince(times, arrival.envelope.receivedAt);
    return since === null ? arrival : { ...arrival, markedSince: since };
  }
}
