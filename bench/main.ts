// npm run bench [-- --only NAME[,NAME]] [--quick] [--large] [--data DIR] [--json] [--compare [COMMIT]]: what the spine costs, as ratios, against its goals.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compare } from './compare.ts';
import { gitLog } from './past/git-log.ts';
import { importPast } from './past/import.ts';
import { records } from './past/records.ts';
import { search } from './search/search.ts';
import { type BenchHome, createBenchHome } from './spine/bench-home.ts';
import { type BenchDeps, type Benchmark, CheckError, type Figure } from './spine/benchmark.ts';
import { type BuiltPlugin, buildPlugin } from './spine/built-plugin.ts';
import { claudeRun, claudeTrace } from './spine/claude-run.ts';
import { coldStart } from './spine/cold-start.ts';
import { demo } from './spine/demo.ts';
import { embed } from './spine/embed.ts';
import { freshness } from './spine/freshness.ts';
import { hooks } from './spine/hooks.ts';
import { ingest } from './spine/ingest.ts';
import { install } from './spine/install.ts';
import { describeMachine, readLoad } from './spine/machine.ts';
import { modelCost } from './spine/model-cost.ts';
import { storeSize } from './spine/store-size.ts';
import { formatRatio, renderTable } from './spine/table.ts';
import { told } from './spine/told.ts';
import { viewer } from './spine/viewer.ts';
import { watch } from './spine/watch.ts';
import { workerMemory } from './spine/worker-memory.ts';
import { workerStart } from './spine/worker-start.ts';
import { sync } from './sync/sync.ts';

const BENCHMARKS: Benchmark[] = [
  hooks,
  coldStart,
  ingest,
  workerStart,
  workerMemory,
  storeSize,
  modelCost,
  embed,
  search,
  freshness,
  told,
  watch,
  viewer,
  importPast,
  records,
  gitLog,
  demo,
  install,
  claudeRun,
  claudeTrace,
  sync,
];

const HELP = `npm run bench -- [--only NAME[,NAME]] [--quick] [--large] [--data DIR] [--json] [--compare [COMMIT]]

${BENCHMARKS.map(({ name, about }) => `  ${name.padEnd(8)} ${about}`).join('\n')}

  --quick  fewer rounds: shows that it works, the figures are rough
  --large  search a million observations, too: ten minutes more, 7 GB in the temporary folder. \`--only search\` does it by itself
  --data   the folder with benchmark data; ../shared/data without a word about it
  --json   the figures as JSON
  --compare  this tree against a commit (the newest version in CHANGELOG.md if none is named), in turns, two runs each;
           what became worse by more than 10 % in both is named, and the exit code is 1
A missed goal is told and is no failure; a failed check (an event is not there, the context is empty) is.`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    data: { type: 'string', default: resolve(import.meta.dir, '../../shared/data') },
    json: { type: 'boolean', default: false },
    compare: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) console.log(HELP);
else process.exit(await runAsked());

/** A name or a commit that is not there is said in a sentence. */
async function runAsked(): Promise<number> {
  try {
    return options.compare ? await compareWith(positionals[0] ?? null) : await main(chooseBenchmarks(options.only));
  } catch (error) {
    say(error instanceof Error ? error.message.trim() : String(error));
    return 2;
  }
}

function compareWith(commit: string | null): Promise<number> {
  const names = chooseBenchmarks(options.only).map(({ name }) => name);
  const flags = ['--data', resolve(options.data), ...(options.quick ? ['--quick'] : []), ...(options.large ? ['--large'] : [])];
  return compare({ commit, names, flags, say });
}

function chooseBenchmarks(only: string | undefined): Benchmark[] {
  if (only === undefined) return BENCHMARKS.filter((benchmark) => benchmark !== claudeTrace);
  return only.split(',').map((wanted) => {
    const found = BENCHMARKS.find(({ name }) => name === wanted);
    if (!found) throw new Error(`no benchmark is called ${wanted}; there are ${BENCHMARKS.map((b) => b.name).join(', ')}`);
    return found;
  });
}

async function main(chosen: Benchmark[]): Promise<number> {
  const machine = describeMachine();
  say('building');
  const built = await buildPlugin();
  const homes = createHomes(built);
  try {
    const isLarge = !options.quick && (options.large || options.only === 'search');
    const deps: BenchDeps = {
      built,
      makeHome: homes.make,
      data: resolve(options.data),
      isQuick: options.quick,
      isLarge,
      say,
    };
    const results = await Promise.race([runAll(chosen, deps, homes.closeAll), untilInterrupted()]);
    if (results === null) return 130;
    const print = options.json ? printJson : printTable;
    print({ ...results, machine: { ...machine, loadAfter: readLoad() } });
    return results.failures.length > 0 ? 1 : 0;
  } finally {
    await homes.end();
    built.dispose();
  }
}

function untilInterrupted(): Promise<null> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve(null));
  });
}

async function runAll(chosen: Benchmark[], deps: BenchDeps, cleanUp: () => Promise<void>) {
  const figures: Figure[] = [];
  const failures: string[] = [];
  for (const { name, run } of chosen) {
    try {
      figures.push(...(await run({ ...deps, say: (line) => say(`${name}: ${line}`) })));
    } catch (error) {
      if (!(error instanceof CheckError)) throw error;
      failures.push(`${name}: ${error.message}`);
    } finally {
      await cleanUp();
    }
  }
  return { figures, failures };
}

function createHomes(built: BuiltPlugin) {
  const open = new Set<BenchHome>();
  let hasEnded = false;
  const closeAll = async () => {
    const homes = [...open];
    open.clear();
    await Promise.all(homes.map((home) => home.close()));
  };
  return {
    make: () => {
      if (hasEnded) throw new Error('interrupted');
      const home = createBenchHome(built);
      open.add(home);
      return home;
    },
    closeAll,
    /** Nothing is made any more: a benchmark that was interrupted may still be running. */
    end: () => {
      hasEnded = true;
      return closeAll();
    },
  };
}

type Report = {
  figures: Figure[];
  failures: string[];
  machine: ReturnType<typeof describeMachine> & { loadAfter: string };
};

function printJson(report: Report): void {
  console.log(JSON.stringify(report, null, 2));
}

function printTable({ figures, failures, machine }: Report): void {
  const { cores, memoryGb, platform, bun, load, loadAfter } = machine;
  console.log(`${cores} cores, ${memoryGb} GB, ${platform}, bun ${bun}; load ${load} before, ${loadAfter} after`);
  console.log(`${options.quick ? 'quick run: rough figures\n' : ''}\n${renderTable(figures)}\n`);
  const missed = figures.filter(({ goal }) => goal?.isReached === false);
  const judged = figures.filter(({ goal }) => goal !== null);
  console.log(`${judged.length - missed.length} of ${judged.length} goals reached`);
  for (const { what, figure, ratio, goal } of missed) {
    console.log(`MISSED: ${what}: ${ratio ? `${formatRatio(ratio.value)}, ` : ''}${figure}; goal ${goal?.text}`);
  }
  for (const failure of failures) console.log(`CHECK FAILED: ${failure}`);
}

function say(line: string): void {
  console.error(`bench: ${line}`);
}
