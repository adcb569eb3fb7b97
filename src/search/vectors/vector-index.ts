// The vectors of one model, searched in memory: loaded from index.db with the first question, given back when nobody asks.
import type { Database } from 'bun:sqlite';
import type { IndexModel } from '../../store/index/index-models.ts';
import { documentOf, partOf } from '../../store/index/vector-keys.ts';
import {
  countVectors,
  largestVectorDocument,
  packSigns,
  readDocumentVectors,
  readSomeBytes,
  readVectors,
  type StoredVector,
} from '../../store/index/vectors.ts';
import { createExactScan } from './exact-scan.ts';
import type { ScanKernel } from './kernel.ts';
import type { Scan, SearchOptions } from './scan.ts';
import { createScoreRows, type ScoreRows } from './score-rows.ts';
import { createSignScan } from './sign-scan.ts';
import type { ScoredDocument } from './top-documents.ts';

export type VectorIndex = {
  /** The documents nearest to the query, best first, each with the score of its best part. A query of zeros finds nothing. */
  search: (query: Int8Array, options: SearchOptions) => Promise<ScoredDocument[]>;
  /** The same for these documents alone, read from the file; without those that have no vector or nothing in common. */
  scores: (query: Int8Array, documents: number[]) => Map<number, number>;
  /** After all parts of a document were stored in index.db: in place of what was known of it. */
  add: (vectors: StoredVector[]) => void;
  /** After a document was removed from index.db. */
  remove: (document: number) => void;
  isLoaded: () => boolean;
  /** Gives the memory back; the next search loads it again. */
  release: () => void;
};

export type VectorIndexDeps = {
  db: Database;
  kernel: ScanKernel;
  model: IndexModel;
  /** Up to so many vectors all of them are kept in memory; above it their signs. */
  exactLimit?: number;
};

const EXACT_LIMIT = 20_000;
/** Rows read at once while loading: less than 2 ms of the event loop. */
const SLICE = 4096;

type Change = { vectors: StoredVector[] } | { removed: number };

export function createVectorIndex({ db, kernel, model, exactLimit = EXACT_LIMIT }: VectorIndexDeps): VectorIndex {
  let scan: Scan | null = null;
  let loading: Promise<Scan> | null = null;
  /** What happened while it was loaded. */
  let changes: Change[] = [];
  let scoreRows: ScoreRows | null = null;

  const makeScan = (): Scan => {
    const count = countVectors(db, model.id);
    const capacity = count + Math.max(1024, count >> 4);
    const { dimension } = model;
    if (count <= exactLimit) return createExactScan({ kernel, capacity, dimension });
    const largestDocument = largestVectorDocument(db, model.id);
    return createSignScan({ kernel, capacity, dimension, model: model.id, largestDocument, rescore });
  };

  const load = async (): Promise<Scan> => {
    changes = [];
    const fresh = makeScan();
    for (let after = 0; ; await nextTurn()) {
      const rows = readSomeBytes(db, fresh.table, { model: model.id, after, limit: SLICE });
      // Without room for a row, more came meanwhile than there is slack for; the next search loads them all.
      for (const [key, bytes] of rows) if (!fresh.append(documentOf(key), partOf(key), bytes)) return fresh;
      after = rows.at(-1)?.[0] ?? after;
      if (rows.length < SLICE) break;
    }
    const isWhole = changes.every((change) => apply(fresh, change));
    if (isWhole) scan = fresh;
    return fresh;
  };

  const rescore = (query: Int8Array, keys: number[], limit: number) => scored()(query, readVectors(db, keys), limit);

  const scored = () => {
    scoreRows ??= createScoreRows(kernel, model.dimension);
    return scoreRows;
  };

  const note = (change: Change) => {
    if (loading) changes.push(change);
    else if (scan && !apply(scan, change)) scan = null;
  };

  const requireDimension = (query: Int8Array) => {
    if (query.length === model.dimension) return;
    throw new RangeError(`a query of ${query.length} components, but ${model.name} has ${model.dimension}`);
  };

  return {
    async search(query, options) {
      requireDimension(query);
      if (query.every((component) => component === 0)) return [];
      if (!scan) {
        loading ??= load().finally(() => {
          loading = null;
        });
      }
      return (scan ?? (await loading))?.search(query, options) ?? [];
    },
    scores(query, documents) {
      requireDimension(query);
      const found = scored()(query, readDocumentVectors(db, model.id, documents));
      return new Map(found.map(({ document, score }) => [document, score]));
    },
    add: (vectors) => note({ vectors }),
    remove: (document) => note({ removed: document }),
    isLoaded: () => scan !== null,
    release() {
      scan = null;
      scoreRows = null;
    },
  };
}

/** False when there is no room for it. */
function apply(scan: Scan, change: Change): boolean {
  if ('removed' in change) {
    scan.remove(change.removed);
    return true;
  }
  for (const document of new Set(change.vectors.map((vector) => vector.document))) scan.remove(document);
  return change.vectors.every(({ document, part, vector }) =>
    scan.append(document, part, scan.table === 'signs' ? packSigns(vector) : asBytes(vector)),
  );
}

const asBytes = (vector: Int8Array) => new Uint8Array(vector.buffer, vector.byteOffset, vector.length);

/** Hooks that wait are answered in between. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
