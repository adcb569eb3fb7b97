// How long a person waits for `claude-mem demo`, from the command to its last line, with nothing left behind.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { median } from './quantile.ts';
import { measureRounds, type Variant } from './rounds.ts';
import { timeProcess } from './time-process.ts';

export const demo: Benchmark = {
  name: 'demo',
  about: '`claude-mem demo`, alone and with a team, as a whole',
  run: measureDemo,
};

/** Of the demo, and of the one with a team. */
const GOAL_SECONDS = { demo: 10, 'demo --team': 20 };

async function measureDemo({ built, makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const home = makeHome();
  const env = { ...home.env, TMPDIR: home.project('tmp') };
  const variants: Variant[] = [
    { name: 'bun -e 0', isYardstick: true, measure: async () => (await timeProcess({ command: [built.bun, '-e', '0'], env })).ms },
    ...Object.keys(GOAL_SECONDS).map((name) => ({
      name,
      measure: async () => {
        const { ms, stdout } = await timeProcess({ command: [built.bun, join(built.folder, 'dist/cli.js'), ...name.split(' ')], env });
        check(/0 times in the memory|It took/.test(stdout), 'the demo did not come to its end');
        check(readdirSync(env.TMPDIR).length === 0, 'the demo left something behind');
        return ms;
      },
    })),
  ];
  const count = isQuick ? 1 : 5;
  say(`${count} demos`);
  const times = await measureRounds(variants, { count, warmUp: 0 });
  return Object.entries(GOAL_SECONDS).map(([name, goal]) => {
    const ms = median(times[name] ?? []);
    return {
      what: `claude-mem ${name}`,
      figure: `${(ms / 1000).toFixed(1)} s`,
      ratio: { value: ms / median(times['bun -e 0'] ?? []), to: 'bun -e 0' },
      goal: atMost(ms / 1000, goal, ' s'),
      values: { ms },
    };
  });
}
