// Does a session start slower in a store with a hundred times the memories?
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { fillStore } from './fill-store.ts';
import { createBenchSession } from './payloads.ts';
import { formatMs, median, quantile } from './quantile.ts';
import { measureRounds, type Variant } from './rounds.ts';
import { timeProcess } from './time-process.ts';

export const storeSize: Benchmark = {
  name: 'size',
  about: 'the SessionStart hook with 100,000 and with 1,000 observations in the store',
  run: measureStoreSize,
};

const GOAL = 1.3;
const PROJECTS = 5;

async function measureStoreSize({ makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const [small, large] = [1000, isQuick ? 20_000 : 100_000];
  const prepare = async (observations: number): Promise<Variant> => {
    const home = makeHome();
    const folders = Array.from({ length: PROJECTS }, (_, at) => home.project(`project-${at}`));
    say(`filling a store with ${observations} observations`);
    fillStore(home.paths, { folders, observations });
    const stored = home.count('SELECT count(*) AS n FROM observations');
    check(stored === observations, `the store holds ${stored} observations instead of ${observations}`);
    await home.startWorker();
    const measure = async (round: number) => {
      const { payload } = createBenchSession(folders[round % PROJECTS] ?? '').start();
      const stdin = Buffer.from(JSON.stringify(payload));
      const run = await timeProcess({ command: home.hook('context'), env: home.env, stdin });
      check(run.stdout.includes('<claude-mem-context'), `no memory among ${observations}: ${run.stdout.slice(0, 80)}`);
      return run.ms;
    };
    return { name: String(observations), isYardstick: observations === small, measure };
  };
  const variants = [await prepare(small), await prepare(large)];
  const times = await measureRounds(variants, { count: isQuick ? 15 : 100, warmUp: 5 });
  const p50 = median(times[large] ?? []);
  const value = p50 / median(times[small] ?? []);
  return [
    {
      what: `hook context, ${large} observations`,
      figure: `p50 ${formatMs(p50)}, p95 ${formatMs(quantile(times[large] ?? [], 0.95))}`,
      ratio: { value, to: `${small} observations` },
      goal: atMost(value, GOAL, 'x'),
      values: { p50, p50Small: median(times[small] ?? []), ratio: value },
    },
  ];
}
