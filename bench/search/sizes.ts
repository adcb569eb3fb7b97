// The sizes at which search is measured, in observations or vectors.
import type { BenchDeps } from '../spine/benchmark.ts';

const [SMALL, SOME, MANY, MILLION] = [1000, 10_000, 100_000, 1_000_000] as const;

export function listSizes({ isQuick, isLarge }: BenchDeps): number[] {
  if (isQuick) return [SMALL, SOME];
  return isLarge ? [SMALL, SOME, MANY, MILLION] : [SMALL, SOME, MANY];
}

/** Of the memory of a real worker. */
export const listWorkerSizes = ({ isLarge }: BenchDeps): number[] => (isLarge ? [SOME, MANY] : [SOME]);
