// A whole run of the real Claude Code with the plugin, with hooks that do nothing, and with an empty plugin, in turns.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claudeBinary } from '../../test/e2e/claude-binary.ts';
import { type MockApi, type Script, startMockApi } from '../../test/e2e/mock-api.ts';
import { runClaude } from '../../test/e2e/run-claude.ts';
import type { BenchHome } from './bench-home.ts';
import { atMost, type BenchDeps, type Benchmark, check, type Figure } from './benchmark.ts';
import { formatMs, median } from './quantile.ts';

export const claudeRun: Benchmark = {
  name: 'claude',
  about: 'a whole `claude -p` of five requests with and without the plugin',
  run: (deps) => withClaude(deps, measureShort),
};

/** Not in a run of everything: it takes as long as that. */
export const claudeTrace: Benchmark = {
  name: 'trace',
  about: 'a `claude -p` of 200 tool uses with and without the plugin, ten minutes each; only by its name',
  run: (deps) => withClaude(deps, measureTrace),
};

/** Over hooks that do nothing, and of a run with an empty plugin. */
const MOST_MS = 100;
const MOST_RATIO = 1.03;
/** What a model takes for an answer. */
const SLOW_MS = 1000;
const TRACE_MS = 3000;
const TRACE_ROUNDS = 50;

type Scene = BenchDeps & { claude: string; mock: MockApi; think: (ms: number) => void };

async function withClaude(deps: BenchDeps, measure: (scene: Scene) => Promise<Figure[]>): Promise<Figure[]> {
  const claude = await claudeBinary().catch((error: Error) => error);
  if (claude instanceof Error) return [explainSkip(claude)];
  let thinkMs = 0;
  const mock = startMockApi(() => Bun.sleep(thinkMs));
  const think = (ms: number) => {
    thinkMs = ms;
  };
  try {
    return await measure({ ...deps, claude, mock, think });
  } finally {
    mock.close();
  }
}

async function measureShort(scene: Scene): Promise<Figure[]> {
  const sides = makeSides(scene);
  // The first starts the worker and fills the caches of the CLI.
  await runInTurns(scene, sides, 1, 1);
  const fast = await runInTurns(scene, sides, scene.isQuick ? 4 : 20, 1);
  scene.think(SLOW_MS);
  const slow = await runInTurns(scene, [sides[0], sides[2]], scene.isQuick ? 2 : 6, 1);
  const over = median(fast.map(([plugin, nothing]) => plugin - nothing));
  const overEmpty = median(fast.map(([plugin, , empty = 0]) => plugin / empty));
  const p50 = (rounds: Times[], at: number) => median(rounds.map((round) => round[at] ?? 0));
  const times = { p50: p50(fast, 0), p50OfTrue: p50(fast, 1), p50Without: p50(fast, 2) };
  return [
    {
      what: 'claude -p with the plugin',
      figure: `p50 ${formatMs(times.p50)}, /bin/true as hooks ${formatMs(times.p50OfTrue)}, without ${formatMs(times.p50Without)}; ${formatMs(over)} over /bin/true`,
      ratio: { value: overEmpty, to: 'without, median of rounds' },
      goal: atMost(over, MOST_MS, ' ms over /bin/true'),
      values: { ...times, ratio: overEmpty, overTrue: over },
    },
    describeSlow(`claude -p, ${SLOW_MS / 1000} s per request`, slow),
  ];
}

async function measureTrace(scene: Scene): Promise<Figure[]> {
  const [plugin, , empty] = makeSides(scene);
  await runInTurns(scene, [plugin, empty], 1, 1);
  scene.think(scene.isQuick ? SLOW_MS : TRACE_MS);
  return [describeSlow('claude -p, 200 tool uses', await runInTurns(scene, [plugin, empty], 1, TRACE_ROUNDS))];
}

function describeSlow(what: string, rounds: Times[]): Figure {
  const value = median(rounds.map(([plugin, empty]) => plugin / empty));
  const [p50, p50Without] = [median(rounds.map(([plugin]) => plugin)), median(rounds.map(([, empty]) => empty))];
  return {
    what,
    figure: `p50 ${formatMs(p50)}, without ${formatMs(p50Without)}, ${rounds.length} rounds`,
    ratio: { value, to: 'without, median of rounds' },
    goal: atMost(value, MOST_RATIO, 'x'),
    values: { p50, p50Without, ratio: value },
  };
}

type Side = { home: BenchHome; plugin: string; isOurs: boolean };
type Times = [number, number, number?];

/** Ours, one whose hooks are /bin/true and that has no server, and an empty one: so that all are started in the same way. */
function makeSides({ makeHome }: BenchDeps): [Side, Side, Side] {
  const [ours, nothing, empty] = [makeHome(), makeHome(), makeHome()];
  for (const { home } of [nothing, empty]) {
    const manifest = { name: 'bare', version: '1.0.0', description: 'Does nothing.' };
    mkdirSync(join(home, 'bare/.claude-plugin'), { recursive: true });
    writeFileSync(join(home, 'bare/.claude-plugin/plugin.json'), JSON.stringify(manifest));
  }
  cpSync(join(ours.plugin, 'hooks'), join(nothing.home, 'bare/hooks'), { recursive: true });
  const file = join(nothing.home, 'bare/hooks/hooks.json');
  const idle = readFileSync(file, 'utf8').replaceAll(`\${CLAUDE_PLUGIN_ROOT}/bin/start-bun`, '/bin/true');
  writeFileSync(file, idle);
  const bare = (home: BenchHome) => ({ home, plugin: join(home.home, 'bare'), isOurs: false });
  return [{ home: ours, plugin: ours.plugin, isOurs: true }, bare(nothing), bare(empty)];
}

/** Every side once in each round, each time another first. `rounds` of four tools in each run. */
async function runInTurns(scene: Scene, sides: Side[], count: number, rounds: number): Promise<Times[]> {
  const all: Times[] = [];
  for (let round = 0; round < count; round++) {
    scene.say(`round ${round + 1} of ${count}`);
    const times = sides.map(() => 0);
    for (let turn = 0; turn < sides.length; turn++) {
      const at = (turn + round) % sides.length;
      const side = sides[at];
      if (side) times[at] = await timeRun(scene, side, rounds);
    }
    all.push(times as Times); // As many as there are sides.
  }
  return all;
}

async function timeRun({ claude, mock }: Scene, { home, plugin, isOurs }: Side, rounds: number): Promise<number> {
  const cwd = home.project('shop');
  const work = makeWork(cwd, rounds);
  mock.scripts.set('work', work);
  const countTools = () => (isOurs ? home.count('SELECT count(*) AS n FROM events WHERE tool_use_id IS NOT NULL') : 0);
  const [asked, kept] = [mock.requests.length, isOurs && (await Bun.file(home.paths.database).exists()) ? countTools() : 0];
  const turns = ['[[mock:work]] Write the price module and try it'];
  const run = await runClaude({ claude, home: home.home, cwd, apiUrl: mock.url, pluginDir: plugin, turns, timeoutMs: 3_600_000 });
  check(run.exitCode === 0 && run.stderr === '', `claude ended with ${run.exitCode}: ${run.stderr}`);
  const requests = mock.requests.length - asked;
  check(requests === work.length, `the run made ${requests} requests instead of ${work.length}`);
  const tools = work.length - 1;
  check(!isOurs || countTools() - kept === tools, `${tools} tools ran, ${countTools() - kept} are in the database`);
  return run.durationMs;
}

function makeWork(folder: string, rounds: number): Script {
  const file = join(folder, 'price.mjs');
  const use = (name: string, input: Record<string, unknown>) => ({ tools: [{ name, input }] });
  const steps = Array.from({ length: rounds }, () => [
    use('Write', { file_path: file, content: 'export const price = 12;\n' }),
    use('Bash', { command: `cat ${file}; echo done` }),
    use('Read', { file_path: file }),
    use('Edit', { file_path: file, old_string: '12', new_string: '13' }),
  ]);
  return [...steps.flat(), { text: 'The price module is written; the price is 13.' }];
}

const explainSkip = ({ message }: Error): Figure => ({
  what: 'claude -p with the plugin',
  figure: `SKIPPED: Claude Code could not be installed (${message.split('\n')[0]})`,
  ratio: null,
  goal: null,
  values: {},
});
