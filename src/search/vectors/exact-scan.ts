// The scan of a small index: every int8 vector is in memory, and every search looks at each of them.
import { isAccepted } from './accept.ts';
import type { ScanKernel } from './kernel.ts';
import { createResidentRows } from './resident-rows.ts';
import type { Scan } from './scan.ts';
import { topDocuments } from './top-documents.ts';

export type ExactScanOptions = { kernel: ScanKernel; capacity: number; dimension: number };

export function createExactScan({ kernel, capacity, dimension }: ExactScanOptions): Scan {
  const extra = { query: dimension, inverses: capacity * 4, scores: capacity * 4 };
  const rows = createResidentRows({ kernel, capacity, rowBytes: dimension, extra });
  const { at, buffer, scan, stride } = rows;
  const query = new Int8Array(buffer, at.query, dimension);
  const scores = new Float32Array(buffer, at.scores, capacity);
  /** So many rows have their length in `inverses`. */
  let measured = 0;

  const measure = () => {
    const [from, count] = [measured, rows.count() - measured];
    scan.invertLengths(at.rows + from * stride, count, stride, at.inverses + from * 4);
    measured += count;
  };

  return {
    table: 'vectors',
    append: (document, part, vector) => rows.append(document, part, vector),
    remove: rows.remove,
    count: rows.count,
    search(vector, { limit, accept }) {
      measure();
      query.set(vector);
      const count = rows.count();
      scan.cosines(at.query, at.rows, at.inverses, count, stride, at.scores);
      for (let row = 0; row < count; row++) if (rows.isRemoved(row)) scores[row] = 0;
      const isWanted = accept && ((document: number) => isAccepted(accept, document));
      return topDocuments({ documentAt: rows.documentAt, scores, count, isWanted }, limit);
    },
  };
}
