// Which documents a model takes next: the newest of those it has not.

import type { DocumentSource } from '../store/index/document-source.ts';
import type { Interval } from '../store/index/index-models.ts';

export type DocumentBatch = {
  /** Newest first. */
  ids: number[];
  /** What is covered once they have their vectors. */
  covers: Interval;
  /** Nothing newer waits, and no more than these do above what was covered: they were just written. */
  isNew: boolean;
};

/** `covered` from the newest to the oldest. Null when nothing waits. */
export function nextBatch(source: DocumentSource, covered: Interval[], limit: number): DocumentBatch | null {
  for (const [at, gap] of listGaps(covered).entries()) {
    const ids = source.before(gap.high + 1, limit).filter((id) => id >= gap.low);
    const [newest, oldest] = [ids[0], ids.at(-1)];
    if (newest === undefined || oldest === undefined) continue;
    const isAll = ids.length < limit;
    const covers = { low: isAll ? gap.low : oldest, high: at === 0 ? newest : gap.high };
    return { ids, covers, isNew: at === 0 && isAll && covered.length > 0 };
  }
  return null;
}

export function countWaiting(source: DocumentSource, covered: Interval[]): number {
  return listGaps(covered).reduce((sum, { low, high }) => sum + source.countBetween(low, high), 0);
}

/** From the newest, which has no end, to the oldest. */
function listGaps(covered: Interval[]): Interval[] {
  const tops = [{ low: Number.MAX_SAFE_INTEGER, high: 0 }, ...covered];
  return tops.flatMap(({ low }, at) => {
    const gap = { low: (covered[at]?.high ?? 0) + 1, high: low - 1 };
    return gap.low <= gap.high ? [gap] : [];
  });
}

/** The first documents of a batch. */
export function firstOf({ ids, covers, isNew }: DocumentBatch, count: number): DocumentBatch {
  if (count >= ids.length) return { ids, covers, isNew };
  const kept = ids.slice(0, count);
  return { ids: kept, covers: { ...covers, low: kept.at(-1) ?? covers.high }, isNew };
}
