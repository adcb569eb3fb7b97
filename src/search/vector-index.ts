// The vectors of one model, searched: the sign of each component is in memory, and the nearest by these are compared in full.
import type { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextTurn } from '../core/time.ts';
import { isDamage } from '../store/open.ts';
import { findEmbedder } from './embed/engines.ts';
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
/** Where there are no more rows than this, a vector that was compared once stays in memory: 6 MB with 256 components. */
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
  let sampled: { documents: string; vectors: KeyedBytes[] } | null = null;

  const readAll = (documents: number[]) => readDocumentVectors(db, model.id, documents);
  const score = createScore(model, recover);

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
      return score(query, () => readAll(documents));
    },
    sampleScores(query, sample) {
      requireDimension(query, model);
      const documents = sample.join();
      return score(query, () => {
        if (sampled?.documents !== documents) sampled = { documents, vectors: readAll(sample) };
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

/** Nothing for a damaged index. */
function createScore({ dimension }: IndexModel, recover: (error: unknown) => void) {
  let compare: ReturnType<typeof createCompare> | null = null;
  return (query: Int8Array, read: () => KeyedBytes[]): Map<number, number> => {
    try {
      compare ??= createCompare(dimension);
      return compare(query, read());
    } catch (error) {
      recover(error);
      return new Map();
    }
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

/** The cosine of each document's best part, above 0. */
function createCompare(dimension: number): (query: Int8Array, rows: KeyedBytes[]) => Map<number, number> {
  const bytes = roundUp(dimension, 16);
  const { cosine, buffer } = openKernel(2 * bytes);
  const memory = new Int8Array(buffer);
  return (query, rows) => {
    memory.set(query);
    const best = new Map<number, number>();
    for (const [key, vector] of rows) {
      memory.set(vector, bytes);
      const [document, score] = [documentOf(key), cosine(0, bytes, bytes)];
      if (score > (best.get(document) ?? 0)) best.set(document, score);
    }
    return best;
  };
}

type SignRows = ReturnType<typeof createSignRows>;

/** The signs of many vectors, side by side, each with its key and its document; that of a row that was removed is 0. */
function createSignRows(dimension: number) {
  const width = roundUp(Math.ceil(dimension / 8), 8);
  let rows = makeRows(1024, dimension, width);
  let count = 0;
  /** Vectors that were compared, by their rows. */
  const kept: KeyedBytes[] = [];

  const grow = () => {
    const { keys, documents, signs } = rows;
    rows = makeRows(keys.length * 2, dimension, width);
    rows.keys.set(keys);
    rows.documents.set(documents);
    rows.signs.set(signs);
  };

  return {
    append(key: number, bytes: Uint8Array) {
      const document = documentOf(key);
      while (count === rows.keys.length || document >= rows.accept.length * 8) grow();
      rows.signs.set(bytes, count * width);
      rows.keys[count] = key;
      rows.documents[count++] = document;
    },
    remove(gone: Set<number>) {
      const { documents } = rows;
      for (let row = 0; row < count; row++) if (gone.has(documents[row] ?? 0)) documents[row] = 0;
    },
    /** Row numbers. */
    findNearest(query: Uint8Array, wanted: number, accept: Accept | undefined): Uint32Array {
      const { at, counts, scan } = rows;
      rows.query.set(query);
      counts.fill(0);
      const accepted = accept?.subarray(0, rows.accept.length);
      rows.accept.set(accepted ?? []);
      const [acceptAt, bits] = accepted ? [at.accept, accepted.length * 8] : [0, 0];
      scan.measure(at.query, at.signs, width, at.documents, count, acceptAt, bits, at.counts, at.distances);
      let [furthest, more] = [0, wanted];
      for (; furthest < counts.length - 1 && (counts[furthest] ?? 0) < more; furthest++) more -= counts[furthest] ?? 0;
      return rows.nearest.subarray(0, scan.collect(at.distances, count, furthest, more, at.nearest));
    },
    /** Of these rows; `read` gives those that are not in memory. */
    readVectors(wanted: Uint32Array, read: (keys: number[]) => KeyedBytes[]): KeyedBytes[] {
      const keysOf = (some: number[]) => some.map((row) => rows.keys[row] ?? 0);
      if (count > KEPT_ROWS) return read(keysOf([...wanted]));
      const missing = [...wanted].filter((row) => !kept[row]);
      const found = new Map(missing.length > 0 ? read(keysOf(missing)).map((row) => [row[0], row]) : []);
      for (const row of missing) kept[row] = found.get(rows.keys[row] ?? 0) ?? [rows.keys[row] ?? 0, NO_VECTOR];
      return Array.from(wanted, (row) => kept[row] as KeyedBytes); // Every one of them is there now.
    },
  };
}

const NO_VECTOR = new Uint8Array(0);

/** Room for so many rows in the memory of a kernel, and for a bit of each document: eight times as many as rows. */
function makeRows(size: number, dimension: number, width: number) {
  const sizes = { counts: (dimension + 1) * 4, query: width, signs: size * width, documents: size * 4, nearest: size * 4 };
  const { at, end } = layOut({ ...sizes, distances: size * 2, accept: size });
  const { buffer, ...scan } = openKernel(end);
  return {
    ...{ at, scan, keys: new Float64Array(size) },
    counts: new Uint32Array(buffer, at.counts, dimension + 1),
    query: new Uint8Array(buffer, at.query, width),
    signs: new Uint8Array(buffer, at.signs, size * width),
    documents: new Uint32Array(buffer, at.documents, size),
    nearest: new Uint32Array(buffer, at.nearest, size),
    accept: new Uint8Array(buffer, at.accept, size),
  };
}

const roundUp = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;

/** Addresses one after the other. */
function layOut<Name extends string>(sizes: Record<Name, number>): { at: Record<Name, number>; end: number } {
  let end = 0;
  const places = Object.entries<number>(sizes).map(([name, bytes]) => {
    end += roundUp(bytes, 16);
    return [name, end - roundUp(bytes, 16)];
  });
  return { at: Object.fromEntries(places) as Record<Name, number>, end }; // The names just given.
}

/** The exports of src/search/wasm/scan.ts; addresses and counts are plain numbers. */
type Kernel = {
  cosine: (query: number, row: number, bytes: number) => number;
  measure: (...values: [number, number, number, number, number, number, number, number, number]) => void;
  collect: (distances: number, count: number, furthest: number, more: number, nearest: number) => number;
};

const PAGE_BYTES = 65_536;

/** With a memory of its own, all zeros, that never grows: so many bytes. Let go by letting go of it. */
function openKernel(bytes: number): Kernel & { buffer: ArrayBuffer } {
  const module = new WebAssembly.Module(readFileSync(join(findEmbedder().assets, 'scan.wasm')));
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
  // Compiled from that file, and a memory that is not shared has such a buffer.
  const { cosine, measure, collect } = new WebAssembly.Instance(module, { env: { memory } }).exports as Kernel;
  return { cosine, measure, collect, buffer: memory.buffer as ArrayBuffer };
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
