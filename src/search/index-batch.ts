// Which documents a model takes next, and the texts that are embedded of each.
import type { Database } from 'bun:sqlite';
import { listDocumentIdsBefore, listDocumentTexts } from '../store/documents.ts';
import { EmbedderError } from './embed/embedder.ts';
import type { Interval, StoredVector } from './index-db.ts';
import { splitDocument } from './pieces.ts';

type Part = { document: number; part: number; text: string };
export type Batch = { ids: number[]; covers: Interval; parts: Part[] };

type Waiting = {
  /** Newest first. */
  ids: number[];
  /** What is covered once all of them have their vectors. */
  covers: Interval;
  /** Nothing newer waits, and no more than these do above what was covered: they were just written. */
  isNew: boolean;
};

/** The newest documents of memory.db that a model has no vectors of. `covered` from the newest to the oldest. Null when nothing waits. */
export function findWaiting(memory: Database, covered: Interval[], limit: number): Waiting | null {
  for (const [at, gap] of listGaps(covered).entries()) {
    const ids = listDocumentIdsBefore(memory, gap.high + 1, limit).filter((id) => id >= gap.low);
    const [newest, oldest] = [ids[0], ids.at(-1)];
    if (newest === undefined || oldest === undefined) continue;
    const isAll = ids.length < limit;
    const covers = { low: isAll ? gap.low : oldest, high: at === 0 ? newest : gap.high };
    return { ids, covers, isNew: at === 0 && isAll && covered.length > 0 };
  }
  return null;
}

/** From the newest, which has no end, to the oldest. */
export function listGaps(covered: Interval[]): Interval[] {
  const tops = [{ low: Number.MAX_SAFE_INTEGER, high: 0 }, ...covered];
  return tops.map(({ low }, at) => ({ low: (covered[at]?.high ?? 0) + 1, high: low - 1 })).filter(({ low, high }) => low <= high);
}

/** As many of the first as make so many parts, and always one. */
export function takeBatch(memory: Database, { ids, covers }: Waiting, most: number): Batch {
  const texts = new Map(listDocumentTexts(memory, ids).map((one) => [one.id, one]));
  const parts: Part[] = [];
  for (const [taken, id] of ids.entries()) {
    const own = splitDocument(texts.get(id)).map((text, part) => ({ document: id, part, text }));
    if (taken > 0 && parts.length + own.length > most) {
      return { ids: ids.slice(0, taken), covers: { ...covers, low: ids[taken - 1] ?? covers.low }, parts };
    }
    parts.push(...own);
  }
  return { ids, covers, parts };
}

export function pairUp(parts: Part[], made: Int8Array[], dimension: number): StoredVector[] {
  if (made.length !== parts.length || made.some(({ length }) => length !== dimension)) {
    throw new EmbedderError('bad-answer', `${parts.length} texts were embedded, but ${made.length} vectors came back.`);
  }
  return parts.flatMap(({ document, part }, at) => {
    const vector = made[at];
    // Zeros: no word in it, so nothing can be near it.
    return vector?.some((component) => component !== 0) ? [{ document, part, vector }] : [];
  });
}
