// Group commit: whatever arrives in one turn of the event loop is stored in one synced transaction, then answered.
import type { Database } from 'bun:sqlite';
import type { Log } from '../../log.ts';
import type { DoorSettings } from '../silence/leave-out.ts';
import type { Watch } from '../watchdog.ts';
import type { Arrival } from './arrival.ts';
import { type Ingested, ingest } from './ingest.ts';

export type Intake = {
  /** Resolves after the commit; rejects when the arrival could not be stored. */
  take: (arrival: Arrival) => Promise<Ingested>;
  /** Stores what waits, now. */
  flush: () => void;
  /** Why the last arrival could not be stored; null when it was. */
  error: () => string | null;
};

type Waiting = { arrival: Arrival; resolve: (ingested: Ingested) => void; reject: (error: Error) => void };

export type IntakeDeps = {
  db: Database;
  options: () => DoorSettings;
  /** Called for each after the commit. */
  onStored?: (ingested: Ingested) => void;
  log: Log;
  watch?: Watch;
};

export function createIntake({ db, options, onStored, log, watch = (work) => work() }: IntakeDeps): Intake {
  let waiting: Waiting[] = [];
  let lastError: string | null = null;

  const flush = () => {
    const batch = waiting;
    waiting = [];
    if (batch.length > 0) storeBatch(batch);
  };

  const storeBatch = (batch: Waiting[]) => {
    let results: Ingested[];
    try {
      const store = db.transaction(() => batch.map(({ arrival }) => ingest(db, arrival, options())));
      results = watch(() => store.immediate());
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      if (batch.length === 1) return refuse(batch, cause);
      // One bad arrival must not take its neighbours with it.
      for (const one of batch) storeBatch([one]);
      return;
    }
    lastError = null;
    for (const [at, result] of results.entries()) batch[at]?.resolve(result);
    // Whoever waits for the ack comes first.
    if (onStored) setImmediate(() => results.forEach(onStored));
  };

  const refuse = ([one]: Waiting[], cause: Error) => {
    lastError = cause.message;
    log.error('an arrival could not be stored', { id: one?.arrival.envelope.id, error: cause.message });
    one?.reject(cause);
  };

  return {
    flush,
    error: () => lastError,
    take: (arrival) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(flush);
        waiting.push({ arrival, resolve, reject });
      }),
  };
}
