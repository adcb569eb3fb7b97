// What the indexer needs of the documents in memory.db.
import type { Database } from 'bun:sqlite';
import { clearDropped, countDocuments, listDocumentIdsBefore, listDocumentTexts, listDropped } from './documents.ts';

export type DocumentSource = {
  /** Ids older than one given, newest first. */
  before: (id: number, limit: number) => number[];
  /** Of those that are there; the title is the first line. */
  texts: (ids: number[]) => { id: number; text: string }[];
  count: () => number;
  /** How many have an id from the first to the second, both included. */
  countBetween: (low: number, high: number) => number;
  /** Some of those that are gone, and whose vectors must go. */
  dropped: () => number[];
  /** Their vectors are gone. */
  clearDropped: (ids: number[]) => void;
};

export function createDocumentSource(db: Database): DocumentSource {
  return {
    before: (id, limit) => listDocumentIdsBefore(db, id, limit),
    texts: (ids) => listDocumentTexts(db, ids),
    count: () => countDocuments(db),
    countBetween: (low, high) =>
      db
        .query<{ n: number }, [number, number]>('SELECT count(*) AS n FROM documents WHERE id BETWEEN ? AND ?')
        .get(low, high)?.n ?? 0,
    dropped: () => listDropped(db, 200),
    clearDropped: (ids) => clearDropped(db, ids),
  };
}
