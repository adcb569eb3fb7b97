// `npm test [-- filter…] [--tier unit|faults|holes|e2e|browser] [--root DIR]`: runs the tiers one after the other, sums what was counted
// and says last what failed. What the product prepared meanwhile must be known to an older SQLite, too.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkStatements } from '../test/support/check-statements.ts';
import { findChromium } from './chromium.ts';
import { type Fault, formatFaults, readFaults } from './fault-table.ts';
import { type Counts, countTests } from './test-report.ts';

type Tier = {
  name: string;
  folder: string;
  except: string[];
  flags: string[];
  runner: 'bun' | 'playwright';
  /** Runs while the tier before it does: both mostly wait. Its output is shown when it has ended. */
  isBeside?: boolean;
  /** Tests of lost data, leaked text and foreign code: one failure in many runs is a finding, and no second try forgives it. */
  isFinal?: boolean;
};
/** statements: where tests note each statement that the product prepares. faults: what tests of faults have said so far. */
type Choice = { root: string; tiers: Tier[]; filters: string[]; statements: string; faults: Fault[] };

const LEFT_OPEN_MS = 2000;
/** More than a few files that fail are no accident. */
const MOST_AGAIN = 3;
const RECORDER = join(import.meta.dir, '../test/support/record-statements.ts');

// Faults, holes and e2e start processes and wait for them: files of e2e run one at a time, those of faults and holes two at a time each.
const TIERS: Tier[] = [
  {
    name: 'unit',
    folder: 'test',
    except: ['test/faults/', 'test/holes/', 'test/e2e/', 'test/browser/'],
    // More than there are cores: many wait for the disk, a process or a timer.
    flags: [`--parallel=${navigator.hardwareConcurrency + 2}`],
    runner: 'bun',
  },
  { name: 'faults', folder: 'test/faults', except: [], flags: ['--parallel=2'], runner: 'bun', isFinal: true },
  { name: 'holes', folder: 'test/holes', except: [], flags: ['--parallel=2'], runner: 'bun', isBeside: true, isFinal: true },
  { name: 'e2e', folder: 'test/e2e', except: [], flags: ['--isolate'], runner: 'bun' },
  { name: 'browser', folder: 'test/browser', except: [], flags: [], runner: 'playwright', isBeside: true },
];

if (import.meta.main) process.exit(await main());

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'claude-mem-statements-'));
  const choice = readChoice(join(folder, 'statements.jsonl'));
  const results: Counts[] = [];
  const unsteady: string[] = [];
  for (const tiers of groupTiers(choice.tiers)) results.push(...(await Promise.all(tiers.map((one) => runTier(one, choice)))));
  for (const [tier, counts, file] of listAgain(choice, results)) unsteady.push(...(await runAgain(tier, counts, { file, choice })));
  if (existsSync(choice.statements)) results.push(checkNoted(choice.statements));
  rmSync(folder, { recursive: true });
  const total = sum(results);
  if (choice.filters.length > 0 && total.passed + total.failed + total.skipped === 0) {
    console.error(`No test file has one of these in its path: ${choice.filters.join(', ')}`);
    total.failed = 1;
  }
  const table = formatFaults(choice.faults);
  if (table) console.log(`\n== faults\n${table}`);
  if (unsteady.length > 0) console.log(`\nunsteady, to be mended: failed, and passed when run again alone:\n${list(unsteady)}`);
  if (total.failures.length > 0) console.log(`\nfailed:\n${list(total.failures)}`);
  console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
  return total.failed > 0 ? 1 : 0;
}

function list(lines: string[]): string {
  return lines.map((line) => `  ${line}\n`).join('');
}

/** The files in which a test failed that may be tried again; none when there are many. `results` are in the order of the tiers. */
function listAgain({ root, tiers }: Choice, results: Counts[]): [Tier, Counts, string][] {
  const all = tiers.flatMap((tier, at) => {
    const counts = results[at] ?? sum([]);
    const files = existsSync(join(root, tier.folder)) ? findFiles(root, tier) : [];
    const failed = tier.isFinal ? [] : files.filter((file) => counts.failures.some((failure) => isOf(failure, file)));
    return failed.map((file): [Tier, Counts, string] => [tier, counts, file]);
  });
  return all.length > MOST_AGAIN ? [] : all;
}

/** Playwright names a file by the end of its path. */
function isOf(failure: string, file: string): boolean {
  const named = failure.slice(0, failure.indexOf(': '));
  return file === named || file.endsWith(`/${named}`);
}

/** Alone, on a machine that does nothing else. What passes then is taken from what failed, and returned. */
async function runAgain(tier: Tier, counts: Counts, { file, choice }: { file: string; choice: Choice }): Promise<string[]> {
  console.log(`\n== again, alone: ${file}`);
  const again = await runFiles({ ...tier, flags: [], isBeside: false }, [file], choice);
  if (again.failed > 0) return [];
  const mended = counts.failures.filter((failure) => isOf(failure, file));
  counts.failures = counts.failures.filter((failure) => !mended.includes(failure));
  counts.failed -= mended.length;
  counts.passed += mended.length;
  return mended;
}

function readChoice(statements: string): Choice {
  const options = { tier: { type: 'string', multiple: true }, root: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = values.tier?.find((name) => !TIERS.some((tier) => tier.name === name));
  if (unknown !== undefined) throw new Error(`No tier ${unknown}; there are ${TIERS.map(({ name }) => name).join(', ')}`);
  const tiers = TIERS.filter(({ name }) => values.tier?.includes(name) ?? true);
  return {
    root: resolve(values.root ?? join(import.meta.dir, '..')),
    tiers,
    filters: positionals,
    statements,
    faults: [],
  };
}

/** Those that run at the same time. */
function groupTiers(tiers: Tier[]): Tier[][] {
  const groups: Tier[][] = [];
  for (const tier of tiers) {
    const last = groups.at(-1);
    if (last && tier.isBeside) last.push(tier);
    else groups.push([tier]);
  }
  return groups;
}

/** Runs nothing and counts nothing when the filters leave no file; an existing tier without a test is a failure. */
async function runTier(tier: Tier, choice: Choice): Promise<Counts> {
  const { root, filters } = choice;
  const nothing: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  if (!existsSync(join(root, tier.folder))) {
    console.log(`\n== ${tier.name}: there is no ${tier.folder} in this tree`);
    return nothing;
  }
  const all = findFiles(root, tier);
  const files = all.filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)));
  if (files.length > 0) return runFiles(tier, files, choice);
  if (all.length > 0) return nothing;
  return { ...nothing, failed: 1, failures: [`${tier.name}: ${tier.folder} holds no test`] };
}

function findFiles(root: string, { folder, except, runner }: Tier): string[] {
  const kind = runner === 'bun' ? 'test' : 'spec';
  const found = [...new Bun.Glob(`${folder}/**/*.${kind}.{ts,tsx}`).scanSync({ cwd: root })];
  return found.filter((file) => !except.some((prefix) => file.startsWith(prefix))).sort();
}

async function runFiles(tier: Tier, files: string[], { root, statements, faults }: Choice): Promise<Counts> {
  const head = `\n== ${tier.name}: ${files.length} files`;
  const started = performance.now();
  if (!tier.isBeside) console.log(head);
  const folder = mkdtempSync(join(tmpdir(), 'claude-mem-tests-'));
  try {
    const report = join(folder, 'junit.xml');
    const { command, env } = tier.runner === 'bun' ? runByBun(tier, files, { report, statements }) : await runByPlaywright(files, report);
    const child = Bun.spawn(command, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const isShown = !tier.isBeside;
    const outputs = [collect(child.stdout, isShown && process.stdout), collect(child.stderr, isShown && process.stderr)];
    const exitCode = await child.exited;
    // A process that a test left behind may keep them open.
    await Promise.race([Promise.all(outputs.map(({ ended }) => ended)), Bun.sleep(LEFT_OPEN_MS)]);
    const said = outputs.map((output) => output.said.join(''));
    if (tier.isBeside) console.log(`${head}\n${said.join('')}`);
    console.log(`${tier.name} took ${((performance.now() - started) / 1000).toFixed(0)} s`);
    faults.push(...said.flatMap(readFaults));
    return countTests(existsSync(report) ? readFileSync(report, 'utf8') : '', files, exitCode);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Output = { said: string[]; ended: Promise<void> };

/** `said` holds all of it so far; it is shown as it comes, if it is to be. */
function collect(from: ReadableStream<Uint8Array>, to: NodeJS.WriteStream | false): Output {
  const said: string[] = [];
  const decoder = new TextDecoder();
  const read = async () => {
    for await (const bytes of from) {
      if (to) to.write(bytes);
      said.push(decoder.decode(bytes, { stream: true }));
    }
  };
  return { said, ended: read() };
}

type Run = { command: string[]; env: Record<string, string> };

function runByBun({ flags }: Tier, files: string[], to: { report: string; statements: string }): Run {
  // A dot for each that passes: what fails is not lost among thousands of lines.
  const reporting = ['--dots', '--reporter=junit', `--reporter-outfile=${to.report}`];
  return {
    command: [
      ...[process.execPath, 'test', '--timeout=60000', `--preload=${RECORDER}`],
      ...[...flags, ...reporting, ...files.map((file) => `./${file}`)],
    ],
    env: { CLAUDE_MEM_TEST_STATEMENTS: to.statements },
  };
}

async function runByPlaywright(files: string[], report: string): Promise<Run> {
  const browser = await findChromium();
  return {
    command: ['npx', '--no', 'playwright', 'test', '--config=test/browser/playwright.config.ts', ...files],
    env: { CHROMIUM: browser, PLAYWRIGHT_JUNIT_OUTPUT_FILE: report },
  };
}

function checkNoted(file: string): Counts {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const { asked, refused, unknown, version } = checkStatements(lines.map((line) => JSON.parse(line)));
  console.log(`\n== statements: ${asked} that the product prepared, asked of SQLite ${version}`);
  const failures = [
    ...refused.map((said) => `statements: refused by SQLite ${version}: ${said}`),
    ...unknown.map(
      (sql) =>
        `statements: no store in test/support/check-statements.ts has what this asks for (a test's own ends with "-- of a test"): ${sql}`,
    ),
  ];
  return { passed: failures.length > 0 ? 0 : 1, failed: failures.length, skipped: 0, failures };
}

function sum(results: Counts[]): Counts {
  const add = (pick: (counts: Counts) => number) => results.reduce((total, counts) => total + pick(counts), 0);
  return {
    passed: add((c) => c.passed),
    failed: add((c) => c.failed),
    skipped: add((c) => c.skipped),
    failures: results.flatMap((c) => c.failures),
  };
}
