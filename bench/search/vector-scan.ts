// The vectors alone: loading them, scanning them, with filters and without, and what they take on disk and in memory.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { atMost, type BenchDeps, check, type Figure } from '../spine/benchmark.ts';
import { formatMs, quantile } from '../spine/quantile.ts';
import { fillIndex } from './fill-index.ts';
import type { ScanTimes } from './scan-process.ts';
import { listSizes } from './sizes.ts';

type Size = { documents: number; goals?: { warmMs: number; coldMs: number; loadedMb?: number } };

const SIZES: Size[] = [
  { documents: 1000 },
  { documents: 10_000 },
  { documents: 100_000, goals: { warmMs: 6, coldMs: 150 } },
  { documents: 1_000_000, goals: { warmMs: 40, coldMs: 1500, loadedMb: 80 } },
];

export async function measureVectorScan(deps: BenchDeps): Promise<Figure[]> {
  const figures: Figure[] = [];
  const sizes = listSizes(deps);
  for (const size of SIZES) if (sizes.includes(size.documents)) figures.push(...(await measureSize(deps, size)));
  return figures;
}

async function measureSize({ built, makeHome, isQuick, say }: BenchDeps, { documents, goals }: Size): Promise<Figure[]> {
  const { paths } = makeHome();
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  say(`filling an index with ${documents} vectors`);
  fillIndex(paths.indexDatabase, documents);
  const times = await scanInProcess(built.bun, [paths.indexDatabase, `${documents}`, isQuick ? '20' : '200']);
  const row = (what: string, ms: number[], goalMs?: number): Figure => {
    const [p50, p99] = [quantile(ms, 0.5), quantile(ms, 0.99)];
    return {
      what: `${what}, ${documents} vectors`,
      figure: `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`,
      ratio: null,
      goal: goalMs === undefined ? null : atMost(p50, goalMs, ' ms'),
      values: { p50, p99 },
    };
  };
  const bytes = statSync(paths.indexDatabase).size / documents;
  const { coldMs, loadedMb, releasedMb } = times;
  return [
    row('vector search, warm', times.warmMs, goals?.warmMs),
    row('… in a project of 50', times.smallProjectMs),
    row('… in a fifth of all', times.bigProjectMs),
    row('… scores of 100 documents', times.scoresMs),
    {
      what: `vector search, first, ${documents} vectors`,
      figure: `${formatMs(coldMs)}, ${loadedMb.toFixed(1)} MB in memory (${releasedMb.toFixed(1)} after release), ${bytes.toFixed(0)} bytes a vector on disk`,
      ratio: null,
      goal: goals ? atMost(coldMs, goals.coldMs, ' ms') : null,
      values: { coldMs, loadedMb, releasedMb, bytes },
    },
    ...(goals?.loadedMb === undefined ? [] : [memoryFigure(documents, loadedMb, goals.loadedMb)]),
  ];
}

const memoryFigure = (documents: number, loadedMb: number, goalMb: number): Figure => ({
  what: `memory of ${documents} vectors`,
  figure: `${loadedMb.toFixed(1)} MB`,
  ratio: null,
  goal: atMost(loadedMb, goalMb, ' MB'),
  values: { loadedMb },
});

/** In a process of its own: nothing is warm, and its memory is its own. */
async function scanInProcess(bun: string, args: string[]): Promise<ScanTimes> {
  const child = Bun.spawn([bun, join(import.meta.dir, 'scan-process.ts'), ...args], { stderr: 'pipe', stdout: 'pipe' });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  check((await child.exited) === 0, `the scan failed: ${errors.slice(0, 500)}`);
  return JSON.parse(out);
}
