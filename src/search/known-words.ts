// How many documents have a word: asked of the index, and kept until the memory has grown.
import type { Database } from 'bun:sqlite';
import { countDocuments, newestDocumentId } from '../store/index/documents.ts';

export type KnownWords = {
  /** Once before a search: what is kept may be out of date. */
  renew: () => void;
  /** How many documents there are. */
  documents: () => number;
  /** In how many a stem occurs. */
  frequency: (stem: string) => number;
  /** What a stem tells: the rarer, the more. */
  weight: (stem: string) => number;
};

/** Below so many documents every one of them changes the picture; above, a tenth more. */
const SETTLED = 5000;
const GROWN = 1.1;
const MOST_KEPT = 50_000;

export function createKnownWords(db: Database): KnownWords {
  let kept = new Map<string, number>();
  let newest = -1;
  let documents = 0;

  const frequency = (stem: string) => {
    const known = kept.get(stem);
    if (known !== undefined) return known;
    const row = db.query<{ n: number }, [string]>('SELECT doc AS n FROM words_known WHERE term = ?').get(stem);
    kept.set(stem, row?.n ?? 0);
    return row?.n ?? 0;
  };

  return {
    renew() {
      const latest = newestDocumentId(db);
      const isSettled = documents >= SETTLED && latest < newest * GROWN && kept.size < MOST_KEPT;
      if (isSettled) return;
      [newest, kept] = [latest, new Map()];
      documents = countDocuments(db);
    },
    documents: () => documents,
    frequency,
    weight: (stem) => surprise(documents, frequency(stem)),
  };
}

/** What it tells that a document is one of `those` among `all`. Never nothing. */
export const surprise = (all: number, those: number) =>
  Math.max(0.02, Math.log((Math.max(0, all - those) + 0.5) / (those + 0.5)));
