// Each hook command as a real process against a warm worker, beside the bare runtime and the barest process there is.
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { fillStore } from './fill-store.ts';
import { createBenchSession, type HookCall, makeText } from './payloads.ts';
import { formatMs, median, quantile } from './quantile.ts';
import { measureRounds, type Variant } from './rounds.ts';
import { timeProcess } from './time-process.ts';

export const hooks: Benchmark = {
  name: 'hooks',
  about: 'every hook command with a warm worker, also with 200 KB and 5 MB',
  run: measureHooks,
};

/** What a hook may cost, in starts of the bare runtime. */
const GOALS: Record<string, number> = {
  'hook context': 3,
  'hook new': 2,
  'hook save': 2,
  'hook summary': 2,
  'hook cleanup': 2,
  'hook save 200 KB': 4,
  'hook save 5 MB': 4,
};

async function measureHooks({ built, makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const home = makeHome();
  const remembered = home.project('remembered');
  const worked = home.project('worked');
  fillStore(home.paths, { folders: [remembered], observations: 300 });
  await home.startWorker();
  let session = createBenchSession(worked);
  let sent = 0;

  const time = async (call: HookCall) => {
    sent++;
    const stdin = Buffer.from(JSON.stringify(call.payload));
    const run = await timeProcess({ command: [built.bun, built.hook, call.command], env: home.env, stdin });
    const isTold = run.stdout.includes('<claude-mem-context');
    check(isTold === (call.command === 'context'), `hook ${call.command} printed: ${run.stdout.slice(0, 200)}`);
    return run.ms;
  };
  const bare = (...command: string[]) => timeProcess({ command, env: home.env }).then(({ ms }) => ms);
  const big = [makeText(200 * 1024), makeText(5 * 1024 * 1024)] as const;
  const variants: Variant[] = [
    { name: '/bin/true', isYardstick: true, measure: () => bare('/bin/true') },
    { name: 'bun -e 0', isYardstick: true, measure: () => bare(built.bun, '-e', '0') },
    { name: 'hook context', measure: () => time(createBenchSession(remembered).start()) },
    {
      name: 'hook new',
      measure: (round) => {
        session = createBenchSession(worked);
        return time(session.prompt(`Make the price of cart ${round} include the tax`));
      },
    },
    { name: 'hook save', measure: (round) => time(session.bash('bun test', makeText(400, round))) },
    { name: 'hook save 200 KB', measure: () => time(session.bash('cat price.log', big[0])) },
    { name: 'hook save 5 MB', measure: () => time(session.bash('cat all.log', big[1])) },
    { name: 'hook summary', measure: () => time(session.stop('The price now includes the tax. All tests pass.')) },
    { name: 'hook cleanup', measure: () => time(session.end()) },
  ];
  const rounds = isQuick ? 15 : 100;
  say(`${rounds} rounds of ${variants.length} processes`);
  const times = await measureRounds(variants, { count: rounds, warmUp: 5 });

  check(home.spooled() === 0, `${home.spooled()} files are in the spool: not every hook was acked`);
  const stored = home.count('SELECT count(*) AS n FROM events');
  check(stored === sent, `${sent} events were sent, ${stored} are in the database`);
  return variants.map(({ name }) => describe(name, times));
}

function describe(name: string, times: Record<string, number[]>): Figure {
  const p50 = median(times[name] ?? []);
  const p95 = quantile(times[name] ?? [], 0.95);
  const value = p50 / median(times['bun -e 0'] ?? []);
  const toTrue = p50 / median(times['/bin/true'] ?? []);
  const goal = GOALS[name];
  return {
    what: `${name}${goal === undefined ? '' : ', acked'}`,
    figure: `p50 ${formatMs(p50)}, p95 ${formatMs(p95)} (${toTrue.toFixed(1)}x true)`,
    ratio: { value, to: 'bun -e 0' },
    goal: goal === undefined ? null : atMost(value, goal, 'x'),
    values: { p50, p95, toBun: value, toTrue },
  };
}
