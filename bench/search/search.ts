// Search: what it costs at a thousand to a million memories, and how soon a new one is found.
import type { BenchDeps, Benchmark, Figure } from '../spine/benchmark.ts';
import { measureIndexLag } from './index-lag.ts';
import { measureVectorScan } from './vector-scan.ts';

/** One after the other. The hybrid search, words and vectors together in the worker, is to be added here. */
const PARTS: ((deps: BenchDeps) => Promise<Figure[]>)[] = [measureVectorScan, measureIndexLag];

export const search: Benchmark = {
  name: 'search',
  about: 'search at 1,000 to 1,000,000 memories, cold and warm, and from a write to its vectors',
  run: async (deps) => {
    const figures: Figure[] = [];
    for (const measure of PARTS) figures.push(...(await measure(deps)));
    return figures;
  },
};
