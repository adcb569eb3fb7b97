// The scan kernel (src/search/wasm/scan.ts), compiled once and given a memory for each use.
import { readFileSync } from 'node:fs';

/** The kernel's exports: addresses and counts are plain numbers. */
export type ScanFunctions = {
  invertLengths: (rows: number, count: number, stride: number, out: number) => void;
  cosines: (query: number, rows: number, inverses: number, count: number, stride: number, out: number) => void;
  signDistances: (
    ...values: [
      query: number,
      rows: number,
      documents: number,
      count: number,
      stride: number,
      accept: number,
      acceptBits: number,
      counts: number,
      out: number,
    ]
  ) => void;
  collectNearest: (distances: number, count: number, limit: number, more: number, out: number) => number;
};

export type ScanMemory = { buffer: ArrayBuffer; scan: ScanFunctions };

/** A memory of at least so many bytes, zeroed; let go by letting go of it. */
export type ScanKernel = (byteLength: number) => ScanMemory;

const PAGE_BYTES = 65_536;

/** `path`: dist/embed/scan.wasm. Read and compiled at the first use. */
export function createScanKernel(path: string): ScanKernel {
  let module: WebAssembly.Module | null = null;
  return (byteLength) => {
    module ??= new WebAssembly.Module(readFileSync(path));
    const memory = new WebAssembly.Memory({ initial: Math.ceil(byteLength / PAGE_BYTES) });
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    // Made by the build from the tree this file is in. The memory never grows, so its buffer stays the same.
    return { buffer: memory.buffer as ArrayBuffer, scan: exports as ScanFunctions };
  };
}

/** Addresses in a memory one after the other, each on a boundary of 16 bytes. */
export function layOut<Name extends string>(sizes: Record<Name, number>): Record<Name | 'byteLength', number> {
  let end = 0;
  const places: [string, number][] = [];
  for (const [name, bytes] of Object.entries<number>(sizes)) {
    places.push([name, end]);
    end += roundUp(bytes);
  }
  return Object.fromEntries([...places, ['byteLength', end]]) as Record<Name | 'byteLength', number>; // The names just given.
}

/** The kernel takes rows in steps of 16 bytes. */
export const roundUp = (bytes: number): number => Math.ceil(bytes / 16) * 16;
