// Words and vectors together, as the worker searches: warm and cold, in all projects and in a small one, at each size.
import { join } from 'node:path';
import { atMost, type BenchDeps, check, type Figure } from '../spine/benchmark.ts';
import { formatMs, median, quantile } from '../spine/quantile.ts';
import type { FilledMemories, FilledMemory } from './filled-memory.ts';
import { measureIndexSize } from './index-size.ts';
import type { SearchTask, SearchTimes } from './search-process.ts';
import { MODES, type Mode } from './search-setup.ts';
import { listSizes } from './sizes.ts';

/** Of p50, in ms. */
const GOALS: Record<number, Partial<Record<Mode, number>>> = {
  100000: { static: 15, minilm: 50 },
  1000000: { static: 100, minilm: 100 },
};
const NAMES: Record<Mode, string> = { words: 'words alone', static: 'static', minilm: 'MiniLM' };
const COLD_STARTS = 5;

export async function measureHybrid(deps: BenchDeps, memories: FilledMemories): Promise<Figure[]> {
  const figures: Figure[] = [];
  const smallest: Smallest = new Map();
  const program = await bundleProcess(deps.built.folder);
  for (const size of listSizes(deps)) {
    const memory = await memories.take(size);
    deps.say(`searching ${size} observations (filled in ${(memory.fillMs / 1000).toFixed(0)} s)`);
    for (const mode of MODES) figures.push(...(await measureMode(deps, { memory, program, dist: memories.dist, mode, smallest })));
    figures.push(measureIndexSize(memory));
  }
  return figures;
}

/** As the source is now: whoever changes it meanwhile must not change what is measured. */
async function bundleProcess(folder: string): Promise<string> {
  const entrypoints = [join(import.meta.dir, 'search-process.ts')];
  const { outputs } = await Bun.build({ entrypoints, target: 'bun', outdir: join(folder, 'bench') });
  return outputs[0]?.path ?? '';
}

type Measured = { memory: FilledMemory; program: string; dist: string; mode: Mode; smallest: Smallest };
/** What each took at the first size, the smallest. */
type Smallest = Map<Mode, { p50: number; observations: number }>;

async function measureMode({ built, isQuick }: BenchDeps, { memory, program, dist, mode, smallest }: Measured): Promise<Figure[]> {
  const { home, observations } = memory;
  const { database, indexDatabase } = home.paths;
  const files = { memory: database, index: indexDatabase, dist };
  const run = (rounds: number) => searchInProcess([built.bun, program], { ...files, mode, observations, rounds });
  // The first of all fills the cache of the operating system, and is not counted.
  const times = await run(isQuick ? 20 : 250);
  const cold: number[] = [];
  for (let start = 0; start < COLD_STARTS; start++) cold.push((await run(0)).coldMs);
  check(times.answered >= times.warmMs.length / 2, `only ${times.answered} of ${times.warmMs.length} queries found anything`);
  const [p50, p99] = [quantile(times.warmMs, 0.5), quantile(times.warmMs, 0.99)];
  const [small50, small99] = [quantile(times.smallProjectMs, 0.5), quantile(times.smallProjectMs, 0.99)];
  const [coldMs, releasedMs] = [median(cold), median(times.releasedMs)];
  const first = smallest.get(mode) ?? { p50, observations };
  smallest.set(mode, first);
  const goalMs = GOALS[observations]?.[mode];
  return [
    {
      what: `search, ${NAMES[mode]}, ${observations} observations`,
      figure: `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`,
      ratio: { value: p50 / first.p50, to: `${first.observations} observations` },
      goal: goalMs === undefined ? null : atMost(p50, goalMs, ' ms'),
      values: { p50, p99, ratio: p50 / first.p50, answered: times.answered, queries: times.warmMs.length },
    },
    {
      what: '… in a project of 200; first of a process; first after a release',
      figure: `p50 ${formatMs(small50)}, p99 ${formatMs(small99)}; ${formatMs(coldMs)}; ${formatMs(releasedMs)}`,
      ratio: null,
      goal: null,
      values: { small50, small99, coldMs, releasedMs },
    },
  ];
}

/** In a process of its own: nothing is warm that the last one used. */
async function searchInProcess(command: string[], task: SearchTask): Promise<SearchTimes> {
  const child = Bun.spawn([...command, JSON.stringify(task)], { stderr: 'pipe', stdout: 'pipe' });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  check((await child.exited) === 0, `the search failed: ${errors.slice(0, 500)}`);
  return JSON.parse(out);
}
