// A real worker with a past, asked over its socket: how fast it answers, what memory that takes, and what is left of it a minute later.
import { readFileSync } from 'node:fs';
import { callApi } from '../../src/client/api.ts';
import { withQuery } from '../../src/client/memory-api.ts';
import type { SearchAnswer } from '../../src/core/shapes/search.ts';
import { until } from '../../test/support/until.ts';
import type { BenchHome } from '../spine/bench-home.ts';
import { atMost, type BenchDeps, check, type Figure } from '../spine/benchmark.ts';
import { formatMs, quantile } from '../spine/quantile.ts';
import { readMemory } from '../spine/worker-memory.ts';
import type { FilledMemories } from './filled-memory.ts';
import { createQueries } from './queries.ts';
import { listWorkerSizes } from './sizes.ts';

const GOAL_MB = 100;
/** A worker that just started gives back what the start took after some seconds. */
const SETTLE_MS = 25_000;
const QUERIES = 200;

/** Linux only: elsewhere memory is not read. */
export async function measureWorkerSearch(deps: BenchDeps, memories: FilledMemories): Promise<Figure[]> {
  if (process.platform !== 'linux') return [];
  const figures: Figure[] = [];
  for (const size of listWorkerSizes(deps)) figures.push(...(await measureSize(deps, memories, size)));
  return figures;
}

async function measureSize({ isQuick, say }: BenchDeps, memories: FilledMemories, size: number): Promise<Figure[]> {
  const { home } = await memories.take(size);
  const pid = await home.startWorker();
  await until(() => hasAllVectors(home), 60_000);
  say(`a worker with ${size} observations`);
  await Bun.sleep(isQuick ? 1000 : SETTLE_MS);
  const idle = readMemory(pid).rss;
  const { times, peak, childPeak } = await ask(home, pid, createQueries(memories.language, size));
  const idleMs = isQuick ? 25_000 : 60_000;
  say(`idle for ${idleMs / 1000} s`);
  await Bun.sleep(idleMs);
  const { rss } = readMemory(pid);
  check(listChildren(pid).length === 0, 'the embedding process is still there');
  await home.stopWorker();
  const mb = (value: number) => `${value.toFixed(1)} MB`;
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return [
    {
      what: `search through the worker's socket, MiniLM, ${size} observations`,
      figure: `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}, the first ${formatMs(times[0] ?? 0)}`,
      ratio: null,
      goal: null,
      values: { p50, p99, first: times[0] ?? 0 },
    },
    {
      what: `worker RSS, ${size} observations, ${idleMs / 1000} s after the last query`,
      figure: `${mb(rss)} (before ${mb(idle)}, while asked ${mb(peak)} and ${mb(childPeak)} in its child, which is gone)`,
      ratio: { value: rss / idle, to: 'before' },
      goal: atMost(rss, GOAL_MB, ' MB'),
      values: { rss, idle, peak, childPeak },
    },
  ];
}

async function ask(home: BenchHome, pid: number, nextQuery: () => string) {
  const times: number[] = [];
  let [peak, childPeak, found] = [0, 0, 0];
  for (let n = 0; n < QUERIES; n++) {
    const route = withQuery('/api/search', { query: nextQuery(), all: true });
    const started = performance.now();
    // The route is ours, in this tree.
    const answer = (await callApi(home.paths, route, { timeoutMs: 15_000 })) as SearchAnswer | null;
    times.push(performance.now() - started);
    check(answer !== null, 'the worker did not answer');
    if (answer.results.length > 0) found++;
    peak = Math.max(peak, readMemory(pid).rss);
    if (n % 20 === 10) childPeak = Math.max(childPeak, readChildMemory(pid));
  }
  check(found >= QUERIES / 2, `only ${found} of ${QUERIES} queries found anything`);
  check(childPeak > 0, 'no query was embedded by MiniLM: there is no embedding process');
  return { times, peak, childPeak };
}

const readChildMemory = (worker: number) => listChildren(worker).reduce((sum, pid) => sum + readMemory(pid).rss, 0);

const listChildren = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

type Index = { models: { waiting: number }[] };

async function hasAllVectors({ paths }: BenchHome): Promise<boolean> {
  // The route is ours, in this tree.
  const index = (await callApi(paths, '/api/index')) as Index | null;
  return index !== null && index.models.length === 2 && index.models.every(({ waiting }) => waiting === 0);
}
