// What a vector costs: MiniLM in its own process, as search uses it, and the static table in ours.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ChildEmbedder } from '../../src/search/embed/child-embedder.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { loadStatic } from '../../src/search/embed/static.ts';
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { formatMs, median, quantile } from './quantile.ts';
import { readMemory } from './worker-memory.ts';

export const embed: Benchmark = {
  name: 'embed',
  about: 'time of a vector, start and memory of the embedder',
  run: measureEmbedders,
};

const GOALS_MS: Record<number, number> = { 22: 14, 184: 100 };
const GOAL_FIRST_MS = 120;
const GOAL_MB = 110;
const GOAL_STATIC_MS = 0.2;
const GOAL_STATIC_LOAD_MS = 50;

async function measureEmbedders({ built, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const dist = join(built.folder, 'dist');
  say('MiniLM in its process');
  const minilm = await measureMinilm(built.bun, dist, isQuick ? 10 : 100);
  say('the static table');
  return [...minilm, ...(await measureStatic(join(dist, 'embed'), isQuick ? 100 : 2000))];
}

async function measureMinilm(bun: string, dist: string, rounds: number): Promise<Figure[]> {
  const assets = join(dist, 'embed');
  const firsts: number[] = [];
  const figures: Figure[] = [];
  for (let start = 0; start < 5; start++) {
    let pid = 0;
    const onEvent = (event: { pid: number }) => {
      pid = event.pid;
    };
    const command = [bun, `--cwd=${dist}`, join(dist, 'embedder.js'), assets];
    const embedder = new ChildEmbedder({ engine: 'minilm', command, onEvent });
    try {
      firsts.push(await time(embedder, textOf(assets, 22)));
      if (start > 0) continue;
      for (const tokens of [22, 184]) figures.push(describe(tokens, await repeat(embedder, textOf(assets, tokens), rounds)));
      figures.push(describeMemory(readMemory(pid)));
    } finally {
      await embedder.close();
    }
  }
  return [...figures, describeStart(firsts)];
}

async function measureStatic(assets: string, rounds: number): Promise<Figure[]> {
  const started = performance.now();
  const embedder = loadStatic(assets);
  const loadMs = performance.now() - started;
  const ms = median(await repeat(embedder, textOf(assets, 184), rounds));
  return [
    {
      what: 'static, 184 tokens',
      figure: `p50 ${ms.toFixed(3)} ms`,
      ratio: null,
      goal: atMost(ms, GOAL_STATIC_MS, ' ms'),
      values: { ms },
    },
    {
      what: 'static, load',
      figure: formatMs(loadMs),
      ratio: null,
      goal: atMost(loadMs, GOAL_STATIC_LOAD_MS, ' ms'),
      values: { loadMs },
    },
  ];
}

/** Words that are one token each, all different. The model adds [CLS] and [SEP]. */
function textOf(assets: string, tokens: number): string {
  const pieces = readFileSync(join(assets, 'vocabulary.txt'), 'utf8').split('\n');
  const words = pieces.filter((piece) => /^[a-z]{5,}$/.test(piece));
  return words.slice(0, tokens - 2).join(' ');
}

async function repeat(embedder: Embedder, text: string, rounds: number): Promise<number[]> {
  const times: number[] = [];
  // The runtime compiles the kernel twice, the second time while it already runs.
  for (let round = 0; round < 10; round++) await time(embedder, text);
  for (let round = 0; round < rounds; round++) times.push(await time(embedder, text));
  return times;
}

async function time(embedder: Embedder, text: string): Promise<number> {
  const started = performance.now();
  const [vector] = await embedder.embed([text], 'query');
  const ms = performance.now() - started;
  check(vector?.some((value) => value !== 0) === true, 'the embedder gave no vector');
  return ms;
}

function describe(tokens: number, times: number[]): Figure {
  const [p50, p95] = [median(times), quantile(times, 0.95)];
  const figure = `p50 ${formatMs(p50)}, p95 ${formatMs(p95)}`;
  const goal = atMost(p50, GOALS_MS[tokens] ?? 0, ' ms');
  return { what: `MiniLM, ${tokens} tokens`, figure, ratio: null, goal, values: { p50, p95 } };
}

function describeStart(times: number[]): Figure {
  const p50 = median(times);
  const what = 'MiniLM, from nothing to the first vector';
  return { what, figure: formatMs(p50), ratio: null, goal: atMost(p50, GOAL_FIRST_MS, ' ms'), values: { p50 } };
}

function describeMemory({ rss, peak }: { rss: number; peak: number }): Figure {
  const figure = `${rss.toFixed(1)} MB (peak ${peak.toFixed(1)} MB)`;
  return {
    what: 'MiniLM, RSS of its process',
    figure,
    ratio: null,
    goal: atMost(peak, GOAL_MB, ' MB'),
    values: { rss, peak },
  };
}
