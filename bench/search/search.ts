// Search: what it costs at a thousand to a million memories, and how soon a new one is found.
import type { BenchDeps, Benchmark, Figure } from '../spine/benchmark.ts';
import { createFilledMemories, type FilledMemories } from './filled-memory.ts';
import { measureHybrid } from './hybrid.ts';
import { measureIndexLag } from './index-lag.ts';
import { measureVectorScan } from './vector-scan.ts';
import { measureWorkerSearch } from './worker-search.ts';

/** One after the other. */
const PARTS: ((deps: BenchDeps, memories: FilledMemories) => Promise<Figure[]>)[] = [
  measureHybrid,
  measureWorkerSearch,
  measureIndexLag,
  measureVectorScan,
];

export const search: Benchmark = {
  name: 'search',
  about: 'search at 1,000 to 100,000 observations (1,000,000 with --large), cold and warm; its memory; from a write to its vectors',
  run: async (deps) => {
    const memories = createFilledMemories(deps);
    const figures: Figure[] = [];
    for (const measure of PARTS) figures.push(...(await measure(deps, memories)));
    return figures;
  },
};
