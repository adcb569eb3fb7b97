// Stores commits as memories in slices of a few milliseconds: whoever waits for the worker comes in between.
import type { Database } from 'bun:sqlite';
import type { LoggedCommit } from '../../git/log.ts';
import { type CommitPlace, settleReverts, storeCommit } from '../../importer/commit-store.ts';
import { type CommitTrace, linkMemories } from '../../memory/commit-links.ts';

type StoreDeps = { db: Database; signal: AbortSignal };

const SLICE_MS = 5;
/** Then whoever waits comes first. */
const REST = 1;

export type CommitBatch = {
  /** Oldest first. */
  commits: LoggedCommit[];
  place: CommitPlace;
  /** A session waits for them: others come in between, and nothing rests. */
  isAwaited: boolean;
};

/** Killed in between, the next reading passes over what is there. Returns how many memories were added. */
export async function storeCommits(
  { db, signal }: StoreDeps,
  { commits, place, isAwaited }: CommitBatch,
): Promise<number> {
  let added = 0;
  for (let at = 0; at < commits.length && !signal.aborted && place.isStill(); ) {
    const startedAt = performance.now();
    const from = at;
    db.transaction(() => {
      do {
        const commit = commits[at++];
        if (commit && storeCommit(db, commit, place)) added++;
      } while (at < commits.length && performance.now() - startedAt < SLICE_MS);
      linkMemories(db, place.owner.projectId, commits.slice(from, at).map(traceOf));
    }).immediate();
    await Bun.sleep(isAwaited ? 0 : REST * (performance.now() - startedAt));
  }
  return added;
}

const traceOf = ({ hash, parents, committedAt, touches }: LoggedCommit): CommitTrace => ({
  hash,
  parent: parents.length === 1 ? (parents[0] ?? null) : null,
  at: committedAt,
  blobs: new Map(touches.map(({ path, to }) => [path, to])),
});

/** Oldest first: all that a first reading brought, which was stored in parts. */
export function settleStored(db: Database, commits: LoggedCommit[], place: CommitPlace): void {
  db.transaction(() => settleReverts(db, commits, place)).immediate();
}
