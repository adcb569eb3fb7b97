// A whole run of the real Claude Code with and without the plugin, in pairs.
import { mkdirSync } from 'node:fs';
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
  run: measureClaudeRun,
};

const GOAL = 1.1;
const TOOLS = 4;

async function measureClaudeRun(deps: BenchDeps): Promise<Figure[]> {
  const claude = await claudeBinary().catch((error: Error) => error);
  if (claude instanceof Error) return [explainSkip(claude)];
  const mock = startMockApi();
  try {
    return await measurePairs(deps, claude, mock);
  } finally {
    mock.close();
  }
}

async function measurePairs({ built, makeHome, isQuick, say }: BenchDeps, claude: string, mock: MockApi) {
  const [withPlugin, without] = [makeHome(), makeHome()];
  const barePlugin = await makeBarePlugin(without);
  const run = (home: BenchHome, pluginDir: string) => timeRun({ claude, mock, home, pluginDir });
  const pairs: { with: number; without: number }[] = [];
  const count = isQuick ? 3 : 16;
  // The first pair starts the worker and fills the caches of the CLI.
  for (let pair = 0; pair <= count; pair++) {
    say(`pair ${pair} of ${count}`);
    const first = pair % 2 === 0 ? await run(withPlugin, built.folder) : null;
    const bare = await run(without, barePlugin);
    const plugged = first ?? (await run(withPlugin, built.folder));
    if (pair > 0) pairs.push({ with: plugged, without: bare });
  }
  const stored = withPlugin.count('SELECT count(*) AS n FROM events WHERE tool_use_id IS NOT NULL');
  check(stored === TOOLS * (count + 1), `${TOOLS * (count + 1)} tools ran, ${stored} are in the database`);
  const value = median(pairs.map((pair) => pair.with / pair.without));
  const [p50, p50Without] = [median(pairs.map((pair) => pair.with)), median(pairs.map((pair) => pair.without))];
  const figure: Figure = {
    what: 'claude -p with the plugin',
    figure: `p50 ${formatMs(p50)}, without ${formatMs(p50Without)}, ${count} pairs`,
    ratio: { value, to: 'without, median of pairs' },
    goal: atMost(value, GOAL, 'x'),
    values: { p50, p50Without, ratio: value, difference: median(pairs.map((pair) => pair.with - pair.without)) },
  };
  return [figure];
}

type Run = { claude: string; mock: MockApi; home: BenchHome; pluginDir: string };

async function timeRun({ claude, mock, home, pluginDir }: Run): Promise<number> {
  const cwd = home.project('shop');
  mock.scripts.set('work', makeWork(cwd));
  const before = mock.requests.length;
  const turns = ['[[mock:work]] Write the price module and try it'];
  const run = await runClaude({ claude, home: home.home, cwd, apiUrl: mock.url, pluginDir, turns });
  check(run.exitCode === 0 && run.stderr === '', `claude ended with ${run.exitCode}: ${run.stderr}`);
  const asked = mock.requests.length - before;
  check(asked === TOOLS + 1, `the run made ${asked} requests instead of ${TOOLS + 1}`);
  return run.durationMs;
}

function makeWork(folder: string): Script {
  const file = join(folder, 'price.mjs');
  const use = (name: string, input: Record<string, unknown>) => ({ tools: [{ name, input }] });
  return [
    use('Write', { file_path: file, content: 'export const price = 12;\n' }),
    use('Bash', { command: `cat ${file}; echo done` }),
    use('Read', { file_path: file }),
    use('Edit', { file_path: file, old_string: '12', new_string: '13' }),
    { text: 'The price module is written; the price is 13.' },
  ];
}

/** A plugin that does nothing: so that both sides are started in the same way. */
async function makeBarePlugin({ home }: BenchHome): Promise<string> {
  const folder = join(home, 'bare-plugin');
  mkdirSync(join(folder, '.claude-plugin'), { recursive: true });
  const manifest = { name: 'bare', version: '1.0.0', description: 'Does nothing.' };
  await Bun.write(join(folder, '.claude-plugin/plugin.json'), JSON.stringify(manifest));
  return folder;
}

const explainSkip = ({ message }: Error): Figure => ({
  what: 'claude -p with the plugin',
  figure: `SKIPPED: Claude Code could not be installed (${message.split('\n')[0]})`,
  ratio: null,
  goal: null,
  values: {},
});
