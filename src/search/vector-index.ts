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
/** Where there are no more rows than this, a vector that was compared once stays in memory: 4 MB with 256 components. */
const KEPT_ROWS = 16_384;
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
  let sampled: { documents: string; vectors: Compared } | null = null;

  const readLaidOut = (documents: number[]) => layOut(readDocumentVectors(db, model.id, documents), model.dimension);
  const score = (query: Int8Array, read: () => Compared): Map<number, number> => {
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
      const nearest = own.findNearest(packSigns(query), Math.max(NEAREST, limit * NEAREST_PER_DOCUMENT), accept);
      const scores = score(query, () => own.readVectors(nearest, (keys) => readVectors(db, keys)));
      return takeBest(scores, limit);
    },
    scores(query, documents) {
      requireDimension(query, model);
      return score(query, () => readLaidOut(documents));
    },
    sampleScores(query, sample) {
      requireDimension(query, model);
      const documents = sample.join();
      return score(query, () => {
        if (sampled?.documents !== documents) sampled = { documents, vectors: readLaidOut(sample) };
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
      [sampled, rows] = [null, null];
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
  // Numbers are sorted in a tenth of the time that objects take.
  const least = Float64Array.from(scores.values()).sort().at(-limit) ?? 0;
  const found: ScoredDocument[] = [];
  for (const [document, score] of scores) if (score >= least) found.push({ document, score });
  return found.sort((one, other) => other.score - one.score || one.document - other.document).slice(0, limit);
}

function requireDimension({ length }: Int8Array, { name, dimension }: IndexModel): void {
  if (length !== dimension) throw new RangeError(`a query of ${length} components, but ${name} has ${dimension}`);
}

/** Hooks that wait are answered in between. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Vectors side by side, and how long each of them is: whose they are, and which of them it is. */
type Compared = { documents: number[]; places: number[]; vectors: Int8Array; lengths: Float64Array };

function layOut(rows: KeyedBytes[], dimension: number): Compared {
  const vectors = new Int8Array(rows.length * dimension);
  for (const [place, [, bytes]] of rows.entries()) vectors.set(bytes, place * dimension);
  const lengths = Float64Array.from(rows, (_, place) => lengthOf(vectors, place * dimension, dimension));
  return { documents: rows.map(([key]) => documentOf(key)), places: rows.map((_, place) => place), vectors, lengths };
}

const lengthOf = (vectors: Int8Array, start: number, dimension: number) =>
  Math.sqrt(dotOf(vectors, start, vectors.subarray(start, start + dimension)));

/** Whole numbers all the way: several times as fast as what might be a fraction. */
function dotOf(vectors: Int8Array, start: number, query: Int8Array): number {
  let dot = 0;
  for (let i = 0; i < query.length; i++) dot = (dot + Math.imul(vectors[start + i] ?? 0, query[i] ?? 0)) | 0;
  return dot;
}

/** The cosine of each document's best part, above 0. */
function bestScores(query: Int8Array, { documents, places, vectors, lengths }: Compared): Map<number, number> {
  const best = new Map<number, number>();
  const length = lengthOf(query, 0, query.length);
  for (let row = 0; row < places.length; row++) {
    const [document, place] = [documents[row] ?? 0, places[row] ?? 0];
    const dot = dotOf(vectors, place * query.length, query);
    if (dot > 0) best.set(document, Math.max(best.get(document) ?? 0, dot / (length * (lengths[place] ?? 0))));
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
  const kept = createKeptVectors(dimension);

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
    /** Row numbers. */
    findNearest(query: Uint8Array, wanted: number, accept: Accept | undefined): number[] {
      const { documents, signs } = rows;
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
      return takeNearest(distances, counts, wanted);
    },
    /** Of these rows; `read` gives those that are not in memory. */
    readVectors(wanted: number[], read: (keys: number[]) => KeyedBytes[]): Compared {
      const keyOf = (row: number) => rows.keys[row] ?? 0;
      if (count > KEPT_ROWS) return layOut(read(wanted.map(keyOf)), dimension);
      const all = kept.complete(wanted, rows.keys.length, (missing) => {
        const found = new Map(read(missing.map(keyOf)));
        return (row) => found.get(keyOf(row));
      });
      return { documents: wanted.map((row) => rows.documents[row] ?? 0), places: wanted, ...all };
    },
  };
}

type ReadRows = (rows: number[]) => (row: number) => Uint8Array | undefined;

/** The vectors of rows that were compared, side by side; the length of another is 0. */
function createKeptVectors(dimension: number) {
  let kept = { vectors: new Int8Array(0), lengths: new Float64Array(0) };
  return {
    /** `read`: what is stored of rows that are not there yet. */
    complete(wanted: number[], size: number, read: ReadRows): Pick<Compared, 'vectors' | 'lengths'> {
      if (kept.lengths.length < size) {
        const { vectors, lengths } = kept;
        kept = { vectors: new Int8Array(size * dimension), lengths: new Float64Array(size) };
        kept.vectors.set(vectors);
        kept.lengths.set(lengths);
      }
      const { vectors, lengths } = kept;
      const missing = wanted.filter((row) => lengths[row] === 0);
      const bytesOf = missing.length > 0 ? read(missing) : null;
      for (const row of missing) {
        vectors.set(bytesOf?.(row) ?? [], row * dimension);
        lengths[row] = lengthOf(vectors, row * dimension, dimension);
      }
      return kept;
    },
  };
}

const LEFT_OUT = 0xffff;

/** The places of so many of the least distances. `counts`: how many have each. */
function takeNearest(distances: Uint16Array, counts: Uint32Array, wanted: number): number[] {
  let [furthest, more] = [0, wanted];
  for (; furthest < counts.length - 1 && (counts[furthest] ?? 0) < more; furthest++) more -= counts[furthest] ?? 0;
  const nearest: number[] = [];
  for (let row = 0; row < distances.length; row++) {
    const distance = distances[row] ?? LEFT_OUT;
    if (distance < furthest || (distance === furthest && more-- > 0)) nearest.push(row);
  }
  return nearest;
}

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
