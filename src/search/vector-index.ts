// The vectors of one model, searched: the sign of each component is in memory, and the nearest by these are compared in full.
import type { Database } from 'bun:sqlite';
import { isDamage } from '../store/open.ts';
import {
  documentOf,
  type IndexModel,
  type KeyedBytes,
  packSigns,
  readDocumentVectors,
  readSigns,
  readVectors,
  type StoredVector,
  vectorKey,
} from './index-db.ts';

export type VectorIndex = {
  /** The documents nearest to the query, best first, each with the cosine of its best part. A query of zeros finds nothing. */
  search: (query: Int8Array, options: SearchOptions) => Promise<ScoredDocument[]>;
  /** The same for these documents alone; without those that have no vector or nothing in common. */
  scores: (query: Int8Array, documents: number[]) => Map<number, number>;
  /** The same for documents that are asked about again and again: their vectors stay in memory until something changes. */
  sampleScores: (query: Int8Array, sample: number[]) => Map<number, number>;
  /** After all parts of a document were stored in index.db: in place of what was known of it. */
  add: (vectors: StoredVector[]) => void;
  /** After documents were removed from index.db. */
  remove: (documents: number[]) => void;
  /** Gives the memory back; the next search loads it again. */
  release: () => void;
};

/** `accept`: only these documents. */
type SearchOptions = { limit: number; accept?: Accept | undefined };
type ScoredDocument = { document: number; score: number };

/** Rows that are compared in full: of the ten best documents these hold 99 in 100. */
const NEAREST = 400;
const NEAREST_PER_DOCUMENT = 2;
/** Rows read at once while loading: less than 2 ms of the event loop. */
const SLICE = 4096;

const recoverBy = (onDamage?: (error: unknown) => void) => (error: unknown) => {
  if (!isDamage(error) || !onDamage) throw error;
  onDamage(error);
};

/** Whoever searches a damaged index finds nothing in it. */
export function createVectorIndex(db: Database, model: IndexModel, onDamage?: (error: unknown) => void): VectorIndex {
  const recover = recoverBy(onDamage);
  let rows: SignRows | null = null;
  let loading: Promise<unknown> | null = null;
  /** What was compared last for what is usual: the same documents with nearly every search. */
  let sampled: { documents: string; vectors: KeyedBytes[] } | null = null;

  const score = (query: Int8Array, read: () => KeyedBytes[]): Map<number, number> => {
    try {
      return bestScores(query, read());
    } catch (error) {
      recover(error);
      return new Map();
    }
  };

  return {
    async search(query, { limit, accept }) {
      requireDimension(query, model);
      if (query.every((component) => component === 0)) return [];
      if (!rows) {
        rows = createSignRows(model.dimension);
        loading = load(rows, db, model.id).catch((error) => {
          rows = null;
          recover(error);
        });
      }
      const own = rows;
      await loading;
      const keys = own.findNearest(packSigns(query), Math.max(NEAREST, limit * NEAREST_PER_DOCUMENT), accept);
      const scores = score(query, () => readVectors(db, keys));
      return takeBest(scores, limit);
    },
    scores(query, documents) {
      requireDimension(query, model);
      return score(query, () => readDocumentVectors(db, model.id, documents));
    },
    sampleScores(query, sample) {
      requireDimension(query, model);
      const documents = sample.join();
      return score(query, () => {
        if (sampled?.documents !== documents) sampled = { documents, vectors: readDocumentVectors(db, model.id, sample) };
        return sampled.vectors;
      });
    },
    add(vectors) {
      sampled = null;
      rows?.remove(new Set(vectors.map(({ document }) => document)));
      for (const { document, part, vector } of vectors) rows?.append(vectorKey(model.id, document, part), packSigns(vector));
    },
    remove(documents) {
      sampled = null;
      rows?.remove(new Set(documents));
    },
    release() {
      sampled = null;
      rows = null;
    },
  };
}

/** What is stored meanwhile is added at once, and may be read a second time: the same row twice finds the same document. */
async function load(rows: SignRows, db: Database, modelId: number): Promise<void> {
  for (let after = 0; ; await nextTurn()) {
    const some = readSigns(db, modelId, { after, limit: SLICE });
    for (const [key, signs] of some) rows.append(key, signs);
    after = some.at(-1)?.[0] ?? after;
    if (some.length < SLICE) return;
  }
}

function takeBest(scores: Map<number, number>, limit: number): ScoredDocument[] {
  const found = [...scores].map(([document, score]) => ({ document, score }));
  return found.sort((one, other) => other.score - one.score || one.document - other.document).slice(0, limit);
}

function requireDimension({ length }: Int8Array, { name, dimension }: IndexModel): void {
  if (length !== dimension) throw new RangeError(`a query of ${length} components, but ${name} has ${dimension}`);
}

/** Hooks that wait are answered in between. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The cosine of each document's best part, above 0. */
function bestScores(query: Int8Array, rows: KeyedBytes[]): Map<number, number> {
  const best = new Map<number, number>();
  const length = Math.sqrt(query.reduce((sum, component) => sum + component ** 2, 0));
  for (const [key, bytes] of rows) {
    // Not as a pair: that takes twice as long.
    let dot = 0;
    let squares = 0;
    for (let i = 0; i < bytes.length; i++) {
      // Its sign by hand: an Int8Array over the same bytes costs as much as all that follows.
      const component = ((bytes[i] ?? 0) << 24) >> 24;
      dot += component * (query[i] ?? 0);
      squares += component * component;
    }
    const document = documentOf(key);
    if (dot > 0) best.set(document, Math.max(best.get(document) ?? 0, dot / (length * Math.sqrt(squares))));
  }
  return best;
}

type SignRows = ReturnType<typeof createSignRows>;

/** The signs of many vectors, side by side, each with its key and its document; that of a row that was removed is 0. */
function createSignRows(dimension: number) {
  const width = Math.ceil(dimension / 32);
  const make = (size: number) => ({
    keys: new Float64Array(size),
    documents: new Uint32Array(size),
    signs: new Int32Array(size * width),
  });
  let rows = make(1024);
  let count = 0;

  const grow = () => {
    const { keys, documents, signs } = rows;
    rows = make(keys.length * 2);
    rows.keys.set(keys);
    rows.documents.set(documents);
    rows.signs.set(signs);
  };

  return {
    append(key: number, bytes: Uint8Array) {
      if (count === rows.keys.length) grow();
      new Uint8Array(rows.signs.buffer, count * width * 4).set(bytes);
      rows.keys[count] = key;
      rows.documents[count++] = documentOf(key);
    },
    remove(gone: Set<number>) {
      const { documents } = rows;
      for (let row = 0; row < count; row++) if (gone.has(documents[row] ?? 0)) documents[row] = 0;
    },
    findNearest(query: Uint8Array, wanted: number, accept: Accept | undefined): number[] {
      const { keys, documents, signs } = rows;
      const words = new Int32Array(width);
      new Uint8Array(words.buffer).set(query);
      const distances = new Uint16Array(count);
      const counts = new Uint32Array(dimension + 1);
      for (let row = 0; row < count; row++) {
        const document = documents[row] ?? 0;
        const isWanted = document !== 0 && (accept === undefined || isAccepted(accept, document));
        const distance = isWanted ? differ(words, signs, row * width) : LEFT_OUT;
        distances[row] = distance;
        if (isWanted) counts[distance] = (counts[distance] ?? 0) + 1;
      }
      let [furthest, more] = [0, wanted];
      for (; furthest < dimension && (counts[furthest] ?? 0) < more; furthest++) more -= counts[furthest] ?? 0;
      const nearest: number[] = [];
      for (let row = 0; row < count; row++) {
        const distance = distances[row] ?? LEFT_OUT;
        if (distance < furthest || (distance === furthest && more-- > 0)) nearest.push(keys[row] ?? 0);
      }
      return nearest;
    },
  };
}

const LEFT_OUT = 0xffff;

/** How many bits of two rows differ. */
function differ(query: Int32Array, signs: Int32Array, at: number): number {
  let total = 0;
  for (let i = 0; i < query.length; i++) {
    let bits = (query[i] ?? 0) ^ (signs[at + i] ?? 0);
    bits -= (bits >>> 1) & 0x55555555;
    bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
    total += Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return total;
}

/** Which documents a search may find: bit `id & 7` of byte `id >> 3`; what lies beyond its end is not accepted. */
export type Accept = Uint8Array;

/** In any order; with those of before. */
export function acceptDocuments(ids: number[], before: Accept = new Uint8Array(0)): Accept {
  const bits = new Uint8Array(Math.max(before.length, (ids.reduce((most, id) => Math.max(most, id), 0) >> 3) + 1));
  bits.set(before);
  for (const id of ids) bits[id >> 3] = (bits[id >> 3] ?? 0) | (1 << (id & 7));
  return bits;
}

export const isAccepted = (accept: Accept, id: number): boolean => (((accept[id >> 3] ?? 0) >> (id & 7)) & 1) === 1;
