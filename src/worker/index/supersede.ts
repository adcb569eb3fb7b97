// Looks in the background which memories a new one stands in the place of, a little at a time: hooks and questions come first.
import type { Database } from 'bun:sqlite';
import type { Log } from '../../log.ts';
import { findSuperseded, type Superseded } from '../../search/find-superseded.ts';
import { createKnownWords } from '../../search/known-words.ts';
import { listUncompared, noteCompared, readCompared } from '../../store/memories/compared.ts';
import { markSuperseded } from '../../store/memories/supersession.ts';

export type Superseding = {
  /** Something was stored. */
  wake: () => void;
  hasWork: () => boolean;
  close: () => void;
};

export type SupersedingDeps = { db: Database; log: Log };

/** Until a turn is stored as a whole. */
const WAKE_MS = 150;
/** A worker that starts has hooks to answer first. */
const START_MS = 1500;
const RETRY_MS = 30_000;
/** Then a longer rest: whoever waits comes first. */
const SLICE_MS = 4;
const REST = 3;

export function createSuperseding({ db, log }: SupersedingDeps): Superseding {
  const comparing = createComparing(db);
  let timer: Timer | null = null;

  const run = () => {
    timer = null;
    const startedAt = performance.now();
    try {
      const hasMore = comparing.step(() => performance.now() - startedAt < SLICE_MS);
      if (hasMore) schedule(REST * (performance.now() - startedAt));
    } catch (error) {
      // The database is full or locked: later again.
      log.error('new memories could not be compared', { error: String(error) });
      schedule(RETRY_MS);
    }
  };
  const schedule = (delayMs: number) => {
    timer ??= setTimeout(run, delayMs);
  };
  schedule(START_MS);

  return {
    wake: () => schedule(WAKE_MS),
    hasWork: () => timer !== null,
    close: () => {
      if (timer) clearTimeout(timer);
    },
  };
}

/** So many are compared before it is written how far that came: to compare some again does no harm, and a write costs more than they. */
const NOTED_EVERY = 50;

/** Goes on where it was left, also by a worker that was killed. */
export function createComparing(db: Database) {
  const known = createKnownWords(db);
  let next: number | null = null;
  let unnoted = 0;
  let isRenewed = false;

  const note = (id: number, found: Superseded[]) => {
    db.transaction(() => {
      for (const one of found) markSuperseded(db, one);
      noteCompared(db, id);
    }).immediate();
    unnoted = 0;
  };

  /** One after the other while there is time. True when there are more. */
  const step = (hasTime: () => boolean): boolean => {
    next ??= readCompared(db);
    do {
      const [observation] = listUncompared(db, next, 1);
      if (!observation) {
        if (unnoted > 0) note(next, []);
        next = null;
        isRenewed = false;
        return false;
      }
      // Not before there is something: it is looked for after every event.
      if (!isRenewed) known.renew();
      isRenewed = true;
      const found = findSuperseded(db, known, observation);
      unnoted++;
      if (found.length > 0 || unnoted >= NOTED_EVERY) note(observation.id, found);
      next = observation.id;
    } while (hasTime());
    return true;
  };
  return { step };
}
