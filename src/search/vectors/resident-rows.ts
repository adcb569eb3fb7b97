// Rows of one model in a WebAssembly memory: whose each is, and where.
import { layOut, roundUp, type ScanKernel } from './kernel.ts';

export type ResidentRows = ReturnType<typeof createResidentRows>;

/** `extra`: what a scan needs beside the rows, in bytes, by name. */
export type RowsOptions<Name extends string> = {
  kernel: ScanKernel;
  capacity: number;
  rowBytes: number;
  extra: Record<Name, number>;
};

/** A document whose highest bit is set was removed; its number stays, so that the order does. */
const REMOVED = 0x8000_0000;

export function createResidentRows<Name extends string>({ kernel, capacity, rowBytes, extra }: RowsOptions<Name>) {
  const stride = roundUp(rowBytes);
  const own = { documents: capacity * 4, parts: capacity, rows: capacity * stride };
  const at = layOut<keyof typeof own | Name>({ ...own, ...extra });
  const { buffer, scan } = kernel(at.byteLength);
  const documents = new Uint32Array(buffer, at.documents, capacity);
  const parts = new Uint8Array(buffer, at.parts, capacity);
  const bytes = new Uint8Array(buffer);
  let count = 0;
  /** So many rows are in the order of their documents; behind them whatever came later. */
  let sorted = 0;

  const documentAt = (row: number) => (documents[row] ?? 0) & ~REMOVED;

  const findFirst = (document: number): number => {
    let [low, high] = [0, sorted];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (documentAt(middle) < document) low = middle + 1;
      else high = middle;
    }
    // It may have been removed and added again.
    while (low < sorted && documentAt(low) === document && isRemoved(low)) low++;
    if (low < sorted && documentAt(low) === document) return low;
    const later = documents.subarray(sorted, count).indexOf(document);
    return later < 0 ? count : sorted + later;
  };

  const isRemoved = (row: number) => (documents[row] ?? 0) >= REMOVED;

  return {
    at,
    buffer,
    scan,
    stride,
    documentAt,
    isRemoved,
    partAt: (row: number) => parts[row] ?? 0,
    count: () => count,
    /** False when there is no room. All parts of a document must follow each other. */
    append(document: number, part: number, row: Uint8Array): boolean {
      if (count === capacity) return false;
      if (sorted === count && (count === 0 || documentAt(count - 1) <= document)) sorted++;
      documents[count] = document;
      parts[count] = part;
      bytes.set(row, at.rows + count * stride);
      count++;
      return true;
    },
    remove(document: number): void {
      const first = findFirst(document);
      for (let row = first; row < count && documents[row] === document; row++) documents[row] = document + REMOVED;
    },
  };
}
