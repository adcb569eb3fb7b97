// npm run bench -- --compare [COMMIT]: this tree against an earlier commit, each by its own bench, run by run in turns.
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outsideEnvironment } from '../scripts/outside-environment.ts';
import type { Figure } from './spine/benchmark.ts';

const ROOT = join(import.meta.dir, '..');
/** What is slower by less is noise on most machines. */
export const TOLERANCE = 1.1;

/** How a figure's numbers are compared: the first of these that both have. A ratio to a bare process takes the machine's mood out. */
const LESS_IS_BETTER = ['toBun', 'p50', 'ratio', 'ms', 'rss', 'loadMs', 'lagP50', 'database', 'inputChars'];
const MORE_IS_BETTER = ['perSecond', 'rate', 'answered', 'needlesKept', 'first'];

/** One run of a benchmark by both: what was there before, and what is there now. */
export type Pair = { before: Figure[]; now: Figure[] };
/** `worse`: by how much in each pair; 1.2 is a fifth slower, smaller or dearer. */
export type Compared = { what: string; by: string; before: number; now: number; worse: number[]; isWorse: boolean };

/** A figure became worse when it did by more than the tolerance in every pair. What only one side has is not compared. */
export function comparePairs(pairs: Pair[]): Compared[] {
  const [first] = pairs;
  return (first?.now ?? []).flatMap(({ what }) => {
    const sides = pairs.map(({ before, now }) => [find(before, what), find(now, what)] as const);
    const by = [...LESS_IS_BETTER, ...MORE_IS_BETTER].find((name) =>
      sides.every(([before, now]) => isNumber(before?.[name]) && isNumber(now?.[name])),
    );
    if (by === undefined) return [];
    const values = sides.map(([before, now]) => ({ before: before?.[by] ?? 0, now: now?.[by] ?? 0 }));
    const worse = values.map(({ before, now }) => (MORE_IS_BETTER.includes(by) ? before / now : now / before));
    const mean = (side: 'before' | 'now') => values.reduce((sum, value) => sum + value[side], 0) / values.length;
    const isWorse = worse.every((factor) => factor > TOLERANCE);
    return [{ what, by, before: mean('before'), now: mean('now'), worse, isWorse }];
  });
}

const find = (figures: Figure[], what: string) => figures.find((figure) => figure.what === what)?.values;
const isNumber = (value: number | undefined) => value !== undefined && Number.isFinite(value) && value > 0;

/** `## [0.1.0] - 2026-11-16, f13d1e7`: the commit of the newest version. */
export function newestRelease(changelog: string): string | null {
  return /^## \[\d[^\]]*\].*?\b([0-9a-f]{7,40})$/m.exec(changelog)?.[1] ?? null;
}

export type CompareOptions = {
  /** Null: the newest version in the changelog. */
  commit: string | null;
  names: string[];
  /** What both benches are called with besides. */
  flags: string[];
  say: (line: string) => void;
};

/** Prints a table and returns the exit code: 1 when something became worse in two of two runs. */
export async function compare({ commit, names, flags, say }: CompareOptions): Promise<number> {
  const wanted = commit ?? newestRelease(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  if (wanted === null) throw new Error('CHANGELOG.md names no version with its commit: say which one to compare with');
  await run(['git', 'rev-parse', '--verify', '--quiet', `${wanted}^{commit}`], ROOT).catch(() => {
    throw new Error(`There is no commit ${wanted} here. \`git log --oneline\` lists them.`);
  });
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'claude-mem-compare-')));
  const tree = join(scratch, 'main');
  // The bench that is running ends by it too, and then what was made here is taken away.
  process.on('SIGINT', () => undefined);
  try {
    say(`${wanted}: checking out and building`);
    await run(['git', 'worktree', 'add', '--detach', tree, wanted], ROOT);
    await run(['npm', 'install', '--prefer-offline', '--no-audit', '--no-fund'], tree);
    const compared: Compared[] = [];
    const failed: string[] = [];
    for (const name of names) {
      // What was measured is printed at once, and a benchmark that fails does not take the others with it.
      try {
        const figures = await compareOne(name, { tree, flags, say });
        printFigures(figures);
        compared.push(...figures);
      } catch (error) {
        failed.push(name);
        say(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return report(wanted, compared, failed);
  } finally {
    await run(['git', 'worktree', 'remove', '--force', tree], ROOT).catch((error) => say(String(error)));
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Side = { tree: string; flags: string[]; say: (line: string) => void };

/** There and here, then here and there: a machine that gets slower or faster meanwhile favours neither. */
async function compareOne(name: string, { tree, flags, say }: Side): Promise<Compared[]> {
  const bench = (root: string) => benchFigures(root, ['--only', name, '--json', ...flags]);
  say(`${name}: first run`);
  const before = await bench(tree);
  if (before === null) {
    say(`${name}: not known at that commit, nothing to compare with`);
    return [];
  }
  const first = { before, now: (await bench(ROOT)) ?? [] };
  say(`${name}: second run`);
  const now = (await bench(ROOT)) ?? [];
  return comparePairs([first, { before: (await bench(tree)) ?? [], now }]);
}

/** Null when that tree has no such benchmark. */
async function benchFigures(root: string, args: string[]): Promise<Figure[] | null> {
  const child = Bun.spawn([process.execPath, join(root, 'bench/main.ts'), ...args], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if (/no benchmark is called/.test(stderr)) return null;
  if ((await child.exited) !== 0) throw new Error(`the bench of ${root} failed: ${stderr.slice(-2000)}${stdout}`);
  // Written by our own bench, of this or an earlier version: the shape has not changed since the first.
  return (JSON.parse(stdout) as { figures: Figure[] }).figures;
}

async function run(command: string[], cwd: string): Promise<void> {
  const child = Bun.spawn(command, { cwd, env: outsideEnvironment(), stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`"${command.join(' ')}" failed:\n${stderr}${stdout}`);
}

function printFigures(compared: Compared[]): void {
  for (const { what, by, before, now, worse, isWorse } of compared) {
    const change = worse.map((factor) => `${factor.toFixed(2)}x`).join(' and ');
    console.log(`${isWorse ? 'WORSE' : 'ok   '} ${what}: ${by} ${round(before)} -> ${round(now)} (${change})`);
  }
}

function report(commit: string, compared: Compared[], failed: string[]): number {
  const worse = compared.filter(({ isWorse }) => isWorse);
  const verdict = worse.length === 0 ? 'nothing became worse' : `${worse.length} became worse`;
  console.log(`\n${compared.length} figures against ${commit}: ${verdict} by more than 10 % in two of two runs`);
  if (failed.length > 0) console.log(`not compared, because the benchmark failed: ${failed.join(', ')}`);
  return worse.length + failed.length > 0 ? 1 : 0;
}

const round = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
