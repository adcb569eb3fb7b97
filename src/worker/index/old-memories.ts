// After an upgrade: the memories of an older schema get their documents, a few at a time, while hooks are answered.
import type { Database } from 'bun:sqlite';
import type { Log } from '../../log.ts';
import { isDocumented, markDocumented } from '../../store/index/documented.ts';
import { documentMore } from '../../store/index/documents.ts';

export type OldMemories = { hasWork: () => boolean; close: () => void };

export type OldMemoriesDeps = {
  db: Database;
  clock: () => number;
  log: Log;
  /** More can be found than before. */
  onAdded: () => void;
};

/** A worker that starts has hooks to answer first. */
const START_MS = 200;
const RETRY_MS = 30_000;

/** Killed in between, the next worker goes on: what has a document is passed over. */
export function startOldMemories({ db, clock, log, onAdded }: OldMemoriesDeps): OldMemories {
  let timer: Timer | null = null;
  let next: number | null = 0;

  const step = () => {
    const startedAt = performance.now();
    next = documentMore(db, next ?? 0);
    if (next === null) {
      markDocumented(db, clock());
      onAdded();
      log.info('old memories can be found');
    }
    // Half of the time at most: whoever waits comes first.
    return performance.now() - startedAt;
  };

  const run = () => {
    timer = null;
    try {
      const tookMs = step();
      if (next !== null) timer = setTimeout(run, tookMs);
    } catch (error) {
      // The database is full or locked: later again.
      log.error('old memories could not be indexed', { error: String(error) });
      timer = setTimeout(run, RETRY_MS);
    }
  };

  if (isDocumented(db)) next = null;
  else timer = setTimeout(run, START_MS);
  return {
    hasWork: () => next !== null,
    close: () => {
      if (timer) clearTimeout(timer);
    },
  };
}
