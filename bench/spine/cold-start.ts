// SessionStart when no worker runs: the hook starts one and waits for its answer, which must hold the memory.
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { fillStore } from './fill-store.ts';
import { createBenchSession } from './payloads.ts';
import { formatMs, median, quantile } from './quantile.ts';
import { measureRounds, type Variant } from './rounds.ts';
import { timeProcess } from './time-process.ts';

export const coldStart: Benchmark = {
  name: 'cold',
  about: 'the SessionStart hook when no worker runs',
  run: measureColdStart,
};

const GOAL = 15;

async function measureColdStart({ built, makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const home = makeHome();
  const folder = home.project('shop');
  fillStore(home.paths, { folders: [folder], observations: 300 });
  const variants: Variant[] = [
    {
      name: 'bun -e 0',
      isYardstick: true,
      measure: async () => (await timeProcess({ command: [built.bun, '-e', '0'], env: home.env })).ms,
    },
    {
      name: 'cold',
      measure: async () => {
        await home.stopWorker();
        const stdin = Buffer.from(JSON.stringify(createBenchSession(folder).start().payload));
        const run = await timeProcess({ command: home.hook('context'), env: home.env, stdin });
        check(run.stdout.includes('<claude-mem-context'), `a cold SessionStart fell back to: ${run.stdout.slice(0, 80)}`);
        return run.ms;
      },
    },
  ];
  const spoolBefore = home.spoolChangedAt();
  const rounds = isQuick ? 5 : 25;
  say(`${rounds} cold starts`);
  const times = await measureRounds(variants, { count: rounds, warmUp: 2 });
  check(home.spoolChangedAt() === spoolBefore, 'an event went through the spool: not every start was acked');
  const p50 = median(times.cold ?? []);
  const p95 = quantile(times.cold ?? [], 0.95);
  const value = p50 / median(times['bun -e 0'] ?? []);
  return [
    {
      what: 'hook context, no worker running',
      figure: `p50 ${formatMs(p50)}, p95 ${formatMs(p95)}`,
      ratio: { value, to: 'bun -e 0' },
      goal: atMost(value, GOAL, 'x'),
      values: { p50, p95, toBun: value },
    },
  ];
}
