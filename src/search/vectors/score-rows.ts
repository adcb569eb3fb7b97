// Cosines of a query with a few hundred vectors that were read from index.db.
import { documentOf } from '../../store/index/vector-keys.ts';
import type { KeyedBytes } from '../../store/index/vectors.ts';
import { layOut, roundUp, type ScanKernel } from './kernel.ts';
import { type ScoredDocument, topDocuments } from './top-documents.ts';

/** Best documents first; the rows of one document must stand together. */
export type ScoreRows = (query: Int8Array, rows: KeyedBytes[], limit?: number) => ScoredDocument[];

/** Rows in one go. */
const CAPACITY = 1024;

export function createScoreRows(kernel: ScanKernel, dimension: number): ScoreRows {
  const stride = roundUp(dimension);
  const at = layOut({ query: dimension, rows: CAPACITY * stride, inverses: CAPACITY * 4, scores: CAPACITY * 4 });
  const { buffer, scan } = kernel(at.byteLength);
  const bytes = new Uint8Array(buffer);

  const scoreSome = (rows: KeyedBytes[]): Float32Array => {
    for (const [i, [, vector]] of rows.entries()) bytes.set(vector, at.rows + i * stride);
    scan.invertLengths(at.rows, rows.length, stride, at.inverses);
    scan.cosines(at.query, at.rows, at.inverses, rows.length, stride, at.scores);
    return new Float32Array(buffer, at.scores, rows.length);
  };

  return (query, rows, limit = rows.length) => {
    new Int8Array(buffer, at.query, dimension).set(query);
    const scores = new Float32Array(rows.length);
    for (let start = 0; start < rows.length; start += CAPACITY) {
      scores.set(scoreSome(rows.slice(start, start + CAPACITY)), start);
    }
    const documentAt = (row: number) => documentOf(rows[row]?.[0] ?? 0);
    return topDocuments({ documentAt, scores, count: rows.length }, limit);
  };
}
