// npm run bench:observer [-- --json] [--verbose] [--held-out] [--day NAME] [--transcripts DIR]: what extraction by rules finds in
// scripted days: first in those that nobody improves it on, then in eighteen that it was made on.
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { observeBatch } from '../../src/observe/observe.ts';
import { feedDay } from './days/feed.ts';
import { DAYS } from './days/index.ts';
import { KINDS, type Kind } from './days/truth.ts';
import { HELD_OUT_DAYS } from './held-out/index.ts';
import { transcriptPage } from './page.ts';
import { addUp, type DayScore, precisionOf, recallOf, scoreDay, type Tallies, type Told, totalOf } from './score.ts';

const GOAL = 0.9;
const TRANSCRIPTS = resolve(import.meta.dir, '../../../shared/samples/real-transcripts');

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    'held-out': { type: 'boolean', default: false },
    day: { type: 'string' },
    transcripts: { type: 'string' },
  },
});

function run() {
  const days = DAYS.filter((day) => options.day === undefined || day.name === options.day);
  if (days.length === 0) throw new Error(`no day is called ${options.day}; there are ${DAYS.map((d) => d.name).join(', ')}`);
  const told = days.map((day) => feedDay(day, observeBatch));
  const scores = days.map((day, index) => scoreDay(day.name, day.truths, told[index] ?? []));
  const heldOut = options.day === undefined ? scoreHeldOut() : [];
  if (options.json) return printJson({ heldOut: toHeldOutFigures(heldOut), ...toFigures(scores) });
  if (heldOut.length > 0) printHeldOut(heldOut);
  printTable(scores);
  printGoals(addUp(scores));
  if (options.verbose) for (const [index, day] of days.entries()) printTold(day.name, told[index] ?? []);
  printDetails(scores);
  if (options['held-out']) printDetails(heldOut);
  if (options.day === undefined) writePages(options.transcripts ?? TRANSCRIPTS);
}

function scoreHeldOut(): DayScore[] {
  return HELD_OUT_DAYS.map((day) => scoreDay(day.name, day.truths, feedDay(day, observeBatch)));
}

/** Without what was missed and false unless asked for: whoever has read it will improve the observer on it. */
function toHeldOutFigures(scores: DayScore[]) {
  const figures = toFigures(scores);
  return options['held-out'] ? figures : { ...figures, days: scores.map(({ day, tallies }) => ({ day, tallies })) };
}

function toFigures(scores: DayScore[]) {
  const overall = addUp(scores);
  const total = totalOf(overall);
  return { goal: GOAL, recall: recallOf(total), precision: precisionOf(total), overall, days: scores };
}

const printJson = (value: unknown) => console.log(JSON.stringify(value, null, 2));

function printTable(scores: DayScore[]) {
  console.log(row('day', ['all', ...KINDS]));
  for (const score of scores) console.log(row(score.day, figuresOf(score.tallies)));
  console.log(row('overall', figuresOf(addUp(scores))));
  console.log('\nrecall / precision; - = nothing to find or nothing told\n');
}

function figuresOf(tallies: Tallies): string[] {
  return [totalOf(tallies), ...KINDS.map((kind) => tallies[kind])].map(
    (tally) => `${figure(recallOf(tally))} / ${figure(precisionOf(tally))}`,
  );
}

const row = (name: string, cells: string[]): string => name.padEnd(17) + cells.map((cell) => cell.padEnd(14)).join('');
const figure = (value: number | null): string => (value === null ? '   -' : value.toFixed(2));

function printGoals(overall: Tallies) {
  const total = totalOf(overall);
  printGoal('recall', recallOf(total), `${total.found} of ${total.expected} truths`);
  printGoal('precision', precisionOf(total), `${total.right} of ${total.right + total.wrong} told`);
}

function printGoal(name: string, value: number | null, counts: string) {
  const verdict = (value ?? 0) >= GOAL ? 'met' : 'missed';
  console.log(`${name.padEnd(10)} ${figure(value)}  goal >= ${GOAL}: ${verdict}  (${counts})`);
}

function printHeldOut(scores: DayScore[]) {
  const total = totalOf(addUp(scores));
  const counts = `${total.found} of ${total.expected} truths, ${total.right} of ${total.right + total.wrong} told`;
  console.log(`held-out days: recall ${figure(recallOf(total))}, precision ${figure(precisionOf(total))}  (${counts})\n`);
  if (options.verbose) printTable(scores);
}

function printTold(day: string, told: Told[]) {
  for (const { session, turn, hasPrompt, observed } of told) {
    if (!hasPrompt && observed.observations.length === 0) continue;
    console.log(`\n${day}, session ${session} turn ${turn}`);
    for (const one of observed.observations) console.log(`  ${one.type} [${one.outcome ?? '-'}] ${one.title}`);
    console.log(`  request: ${observed.summary?.request ?? '-'}\n  next: ${observed.summary?.nextSteps ?? '-'}`);
  }
}

function printDetails(scores: DayScore[]) {
  printList(
    'missed',
    scores.flatMap(({ day, missed }) => missed.map((one) => `${place(day, one.kind)} ${one.what}`)),
  );
  printList(
    'false',
    scores.flatMap(({ day, falseOnes }) => falseOnes.map((one) => `${place(day, one.kind)} ${one.title}\n${' '.repeat(31)} ${one.why}`)),
  );
  printList(
    'faulty in form',
    scores.flatMap(({ day, faults }) => faults.map((fault) => `${day.padEnd(17)} ${fault}`)),
  );
}

const place = (day: string, kind: Kind): string => `${day.padEnd(17)} ${kind.padEnd(10)}`;

function printList(heading: string, lines: string[]) {
  console.log(`\n${heading}: ${lines.length}`);
  for (const line of lines) console.log(`  ${line}`);
}

/** The real transcripts have no known truths: a page each, to be read by a person. */
function writePages(dir: string) {
  if (!existsSync(dir)) return console.log(`\nno transcripts in ${dir}`);
  const target = mkdtempSync(join(tmpdir(), 'claude-mem-pages-'));
  console.log('\npages to read, from real transcripts:');
  for (const file of readdirSync(dir).filter((name) => name.endsWith('.jsonl'))) {
    const page = join(target, file.replace(/\.jsonl$/, '.md'));
    writeFileSync(page, transcriptPage(join(dir, file)));
    console.log(`  ${page}`);
  }
}

run();
