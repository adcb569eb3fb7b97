// The scan of a large index: one bit for each component is in memory; the nearest by these are compared in full.
import { vectorKey } from '../../store/index/vector-keys.ts';
import { packSigns } from '../../store/index/vectors.ts';
import type { Accept } from './accept.ts';
import type { ScanKernel } from './kernel.ts';
import { createResidentRows } from './resident-rows.ts';
import type { Scan } from './scan.ts';
import type { ScoredDocument } from './top-documents.ts';

export type SignScanOptions = {
  kernel: ScanKernel;
  capacity: number;
  dimension: number;
  model: number;
  largestDocument: number;
  /** The best documents among these vectors, compared in full. */
  rescore: (query: Int8Array, keys: number[], limit: number) => ScoredDocument[];
};

/** Rows that are compared in full: of the ten best documents these hold 99 in 100. */
const NEAREST = 400;
/** For each document that is asked for. */
const NEAREST_PER_DOCUMENT = 2;
const MOST_NEAREST = 4000;
/** Documents that may be added before the room for the bits of `accept` is used up. */
const MORE_DOCUMENTS = 65_536;

export function createSignScan(options: SignScanOptions): Scan {
  const { kernel, capacity, dimension, model, rescore } = options;
  const rowBytes = Math.ceil(dimension / 8);
  const extra = {
    query: rowBytes,
    counts: (dimension + 1) * 4,
    distances: capacity * 2,
    nearest: MOST_NEAREST * 4,
    accept: (options.largestDocument + MORE_DOCUMENTS) >> 3,
  };
  const rows = createResidentRows({ kernel, capacity, rowBytes, extra });
  const { at, buffer, scan, stride } = rows;
  const query = new Uint8Array(buffer, at.query, rowBytes);
  const counts = new Uint32Array(buffer, at.counts, dimension + 1);
  const acceptRoom = new Uint8Array(buffer, at.accept, extra.accept);

  const findNearest = (vector: Int8Array, accept: Accept | undefined, wanted: number): Uint32Array => {
    query.set(packSigns(vector));
    counts.fill(0);
    const fitted = accept?.subarray(0, acceptRoom.length);
    if (fitted) acceptRoom.set(fitted);
    const acceptBits = (fitted?.length ?? 0) * 8;
    const acceptAt = fitted ? at.accept : 0;
    const [count, documents] = [rows.count(), at.documents];
    scan.signDistances(at.query, at.rows, documents, count, stride, acceptAt, acceptBits, at.counts, at.distances);
    const { limit, more } = chooseLimit(counts, wanted);
    return new Uint32Array(buffer, at.nearest, scan.collectNearest(at.distances, count, limit, more, at.nearest));
  };

  return {
    table: 'signs',
    append: (document, part, signs) => document < extra.accept * 8 && rows.append(document, part, signs),
    remove: rows.remove,
    count: rows.count,
    search(vector, { limit, accept }) {
      const wanted = Math.min(MOST_NEAREST, Math.max(NEAREST, limit * NEAREST_PER_DOCUMENT));
      const nearest = findNearest(vector, accept, wanted);
      const keys = Array.from(nearest, (row) => vectorKey(model, rows.documentAt(row), rows.partAt(row)));
      return rescore(vector, keys, limit);
    },
  };
}

/** The distance up to which `wanted` rows are nearer, and how many rows at that distance still fit. */
function chooseLimit(counts: Uint32Array, wanted: number): { limit: number; more: number } {
  let more = wanted;
  for (let limit = 0; limit < counts.length; limit++) {
    const there = counts[limit] ?? 0;
    if (there >= more) return { limit, more };
    more -= there;
  }
  return { limit: counts.length - 1, more: wanted };
}
