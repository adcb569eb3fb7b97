// `npm test [-- filter…] [--tier unit|faults|holes|e2e|browser] [--root DIR]`: runs all files at once, the slowest first, and says last what
// failed. What the product prepared meanwhile must be known to an older SQLite, too.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkStatements } from '../test/support/check-statements.ts';
import { findChromium } from './chromium.ts';
import { type Fault, formatFaults, readFaults } from './fault-table.ts';
import { type Counts, countTests } from './test-report.ts';

type Tier = {
  name: string;
  folder: string;
  /** How long a file takes that never ran here: what is slow starts first, or it would run alone at the end. */
  usualMs: number;
  /** Tests of lost data, leaked text and foreign code: one failure in many runs is a finding, and no second try forgives it. */
  isFinal?: boolean;
};
/** `isShown`: as it comes, not at the end. */
type Run = { name: string; files: string[]; flags?: string[]; isShown: boolean };
/** statements: where tests note each statement that the product prepares. faults: what tests of faults have said so far. */
type Choice = { root: string; tiers: Tier[]; filters: string[]; statements: string; faults: Fault[] };

const LEFT_OPEN_MS = 2000;
/** For a test that states no limit of its own: what hangs fails, and what waits for a busy machine does not. */
const MOST_MS = 240_000;
/** More than a few files that fail are no accident. */
const MOST_AGAIN = 3;
const RECORDER = join(import.meta.dir, '../test/support/record-statements.ts');
/** How long each file took the last time. */
const TIMINGS = 'node_modules/.cache/claude-mem/test-timings.json';
/** More than there are cores: many wait for the disk, a process or a timer. Files share what they import. */
const PARALLEL = [`--parallel=${navigator.hardwareConcurrency * 3}`, '--no-isolate'];

/** A file belongs to the first whose folder it is in. */
const TIERS: Tier[] = [
  { name: 'e2e', folder: 'test/e2e/', usualMs: 20_000 },
  { name: 'faults', folder: 'test/faults/', usualMs: 10_000, isFinal: true },
  { name: 'holes', folder: 'test/holes/', usualMs: 5000, isFinal: true },
  { name: 'browser', folder: 'test/browser/', usualMs: 10_000 },
  { name: 'unit', folder: 'test/', usualMs: 500 },
];
const tierOf = (file: string) => TIERS.find(({ folder }) => file.startsWith(folder));
/** Playwright's. */
const isSpec = (file: string) => /\.spec\.tsx?$/.test(file);

if (import.meta.main) process.exit(await main());

async function main(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'claude-mem-statements-'));
  const choice = readChoice(join(folder, 'statements.jsonl'));
  const { files, results } = choose(choice);
  const [specs, tests] = [files.filter(isSpec), files.filter((file) => !isSpec(file))];
  const runs: Run[] = [
    { name: 'tests', files: tests, flags: [...PARALLEL, ...readTimings(choice.root, tests)], isShown: true },
    { name: 'browser', files: specs, isShown: tests.length === 0 },
  ];
  results.push(...(await Promise.all(runs.filter((run) => run.files.length > 0).map((run) => runFiles(run, choice)))));
  const unsteady: string[] = [];
  for (const [counts, file] of listAgain(files, results)) unsteady.push(...(await runAgain(counts, file, choice)));
  if (existsSync(choice.statements)) results.push(checkNoted(choice.statements));
  rmSync(folder, { recursive: true });
  return tell(sum(results), unsteady, choice);
}

function readChoice(statements: string): Choice {
  const options = { tier: { type: 'string', multiple: true }, root: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = values.tier?.find((name) => !TIERS.some((tier) => tier.name === name));
  if (unknown !== undefined) throw new Error(`No tier ${unknown}; there are ${TIERS.map(({ name }) => name).join(', ')}`);
  const tiers = TIERS.filter(({ name }) => values.tier?.includes(name) ?? true);
  return { root: resolve(values.root ?? join(import.meta.dir, '..')), tiers, filters: positionals, statements, faults: [] };
}

/** What is to be run; a tier of which nothing is there is said, and one without a test is a failure. */
function choose({ root, tiers, filters }: Choice): { files: string[]; results: Counts[] } {
  const all = [...new Bun.Glob('test/**/*.{test,spec}.{ts,tsx}').scanSync({ cwd: root })].sort();
  const results: Counts[] = [];
  for (const { name, folder } of tiers) {
    if (!existsSync(join(root, folder))) console.log(`\n== ${name}: there is no ${folder} in this tree`);
    else if (!all.some((file) => tierOf(file)?.name === name))
      results.push({ ...sum([]), failed: 1, failures: [`${name}: ${folder} holds no test`] });
  }
  const isChosen = (file: string) => filters.length === 0 || filters.some((filter) => file.includes(filter));
  return { files: all.filter((file) => tiers.some((tier) => tier === tierOf(file)) && isChosen(file)), results };
}

/** The flags by which Bun starts the slowest first, and notes what each took. */
function readTimings(root: string, files: string[]): string[] {
  const path = join(root, TIMINGS);
  const known = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).files : {};
  const times = files.map((file): [string, number] => [file, known[file] ?? tierOf(file)?.usualMs ?? 0]);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ version: 1, files: { ...known, ...Object.fromEntries(times) } }));
  return [`--timings=${path}`, '--update-timings'];
}

async function runFiles({ name, files, flags = [], isShown }: Run, { root, statements, faults }: Choice): Promise<Counts> {
  const head = `\n== ${name}: ${files.length} files`;
  const started = performance.now();
  if (isShown) console.log(head);
  const folder = mkdtempSync(join(tmpdir(), 'claude-mem-tests-'));
  try {
    const report = join(folder, 'junit.xml');
    const command = files.some(isSpec)
      ? ['npx', '--no', 'playwright', 'test', '--config=test/browser/playwright.config.ts']
      : byBun(report);
    const environment = files.some(isSpec)
      ? { CHROMIUM: await findChromium(), PLAYWRIGHT_JUNIT_OUTPUT_FILE: report }
      : { CLAUDE_MEM_TEST_STATEMENTS: statements };
    const child = Bun.spawn([...command, ...flags, ...files.map((file) => (isSpec(file) ? file : `./${file}`))], {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const outputs = [collect(child.stdout, isShown && process.stdout), collect(child.stderr, isShown && process.stderr)];
    const exitCode = await child.exited;
    // A process that a test left behind may keep them open.
    await Promise.race([Promise.all(outputs.map(({ ended }) => ended)), Bun.sleep(LEFT_OPEN_MS)]);
    const said = outputs.map((output) => output.said.join(''));
    if (!isShown) console.log(`${head}\n${said.join('')}`);
    console.log(`${name} took ${((performance.now() - started) / 1000).toFixed(0)} s`);
    faults.push(...said.flatMap(readFaults));
    return countTests(existsSync(report) ? readFileSync(report, 'utf8') : '', files, exitCode);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A dot for each that passes: what fails is not lost among thousands of lines. */
function byBun(report: string): string[] {
  const reporting = ['--dots', '--reporter=junit', `--reporter-outfile=${report}`];
  return [process.execPath, 'test', `--timeout=${MOST_MS}`, `--preload=${RECORDER}`, ...reporting];
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

/** The files in which a test failed that may be tried again; none when there are many. */
function listAgain(files: string[], results: Counts[]): [Counts, string][] {
  const all = results.flatMap((counts) =>
    files
      .filter((file) => !tierOf(file)?.isFinal && counts.failures.some((failure) => isOf(failure, file)))
      .map((file): [Counts, string] => [counts, file]),
  );
  return all.length > MOST_AGAIN ? [] : all;
}

/** Playwright names a file by the end of its path. */
function isOf(failure: string, file: string): boolean {
  const named = failure.slice(0, failure.indexOf(': '));
  return file === named || file.endsWith(`/${named}`);
}

/** Alone, on a machine that does nothing else. What passes then is taken from what failed, and returned. */
async function runAgain(counts: Counts, file: string, choice: Choice): Promise<string[]> {
  const again = await runFiles({ name: `again, alone, ${file}`, files: [file], isShown: true }, choice);
  if (again.failed > 0) return [];
  const mended = counts.failures.filter((failure) => isOf(failure, file));
  counts.failures = counts.failures.filter((failure) => !mended.includes(failure));
  counts.failed -= mended.length;
  counts.passed += mended.length;
  return mended;
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

/** Says what came of it all; the exit code. */
function tell(total: Counts, unsteady: string[], { filters, faults }: Choice): number {
  const list = (lines: string[]) => lines.map((line) => `  ${line}\n`).join('');
  if (filters.length > 0 && total.passed + total.failed + total.skipped === 0) {
    console.error(`No test file has one of these in its path: ${filters.join(', ')}`);
    total.failed = 1;
  }
  const table = formatFaults(faults);
  if (table) console.log(`\n== faults\n${table}`);
  if (unsteady.length > 0) console.log(`\nunsteady, to be mended: failed, and passed when run again alone:\n${list(unsteady)}`);
  if (total.failures.length > 0) console.log(`\nfailed:\n${list(total.failures)}`);
  console.log(`\n${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
  return total.failed > 0 ? 1 : 0;
}
