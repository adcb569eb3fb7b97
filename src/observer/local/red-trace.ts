// The marks by which a sentence shows that it speaks of a failure: words of the red output, failing tests, what was edited.
import { changesOf } from './edits/changes.ts';
import { baseName, isTestFile } from './edits/describe.ts';
import type { Repair } from './repairs.ts';
import { contentWords } from './text/tokens.ts';
import type { Line, Step } from './turn.ts';

export type Trace = { repair: Repair; names: string[]; runs: { step: Step; words: Set<string> }[]; words: Set<string> };

const REPAIRS_READ = 20;
const RUNS_READ = 6;

/** What any sentence about the work may speak of, so that it points at no failure: what was asked, and what was edited anyway. */
export type Known = { topic: string; files: Set<string> };

/** Of what was mended; each repair's output is read once. */
export function traceRepairs(repairs: Repair[], known: Known): Trace[] {
  return repairs
    .filter((repair) => repair.success !== null)
    .slice(0, REPAIRS_READ)
    .map((repair) => traceRepair(repair, known));
}

function traceRepair(repair: Repair, known: Known): Trace {
  const topic = contentWords(known.topic);
  const steps = [repair.failure, ...repair.again].slice(0, RUNS_READ);
  const runs = steps.map((step) => ({ step, words: wordsOf(redText(step), topic) }));
  const edited = changesOf(repair.edits.filter((edit) => !isTestFile(edit.file) && !known.files.has(edit.file)));
  const tool = (repair.failure.run?.tool ?? '').split(' ', 1)[0] ?? '';
  const names = [
    edited.flatMap((change) => [baseName(change.file), ...change.newNames, ...change.touchedNames]),
    steps.flatMap((step) => step.run?.tests?.failing.flatMap(lastName) ?? []),
    [tool],
  ];
  return {
    repair,
    names: names.map((list) => list.join('\n')),
    runs,
    words: new Set(runs.flatMap((run) => [...run.words])),
  };
}

/** "scan::tests::latin1_file" → "latin1_file". */
function lastName(name: string): string[] {
  return name.split(/::| > |\.|#|\//).slice(-1);
}

/** Shared words, and one more each for a name that was edited, a failing test and the tool. */
export function weightOf(text: string, { names, words }: Trace): number {
  const has = (list: string) => list.split('\n').some((name) => name.length >= 4 && text.includes(name));
  return shared(wordsOf(text), words) + names.filter(has).length;
}

/** The repair whose red output shares the most with the text; null when none shares enough. */
export function traceOf(text: string, traces: Trace[]): Trace | null {
  const ranked = traces.map((trace) => ({ trace, weight: weightOf(text, trace) }));
  const best = ranked.sort((a, b) => b.weight - a.weight)[0];
  return best && best.weight >= 2 ? best.trace : null;
}

/** The red run that the text fits best. */
export function redRunOf(text: string, { repair, runs }: Trace): Step {
  const words = wordsOf(text);
  const ranked = runs.map((run) => ({ step: run.step, weight: shared(words, run.words) }));
  return ranked.sort((a, b) => b.weight - a.weight)[0]?.step ?? repair.failure;
}

/** Some sentence is about the red runs of this repair, whatever it says of them. */
export function isSpokenOf(repair: Repair, lines: Line[]): boolean {
  const trace = traceRepair(repair, { topic: '', files: new Set() });
  return lines.slice(0, 300).some((line) => weightOf(line.text, trace) >= 2);
}

const COMMON = new Set(
  'fail error test spec build run expect command exit code line file exception check job task step result warn module import function type name value src lib ts js tsx jsx py java kt go rs rb json yaml yml'.split(
    ' ',
  ),
);
const VERSION = /\d{1,6}(?:\.\d{1,6}){1,3}/g;

/** Without the words that any failure has; versions and the parts of a name count as words. */
function wordsOf(text: string, topic: Set<string> = new Set()): Set<string> {
  const parts = text
    .slice(0, 2000)
    .replace(/_/g, ' ')
    .replace(/([a-z])([A-Z])/g, '$1 $2');
  const all = [...contentWords(text), ...contentWords(parts)];
  const words = all.filter((word) => !COMMON.has(word) && !topic.has(word));
  return new Set([...words, ...(text.slice(0, 2000).match(VERSION) ?? [])]);
}

function shared(a: Set<string>, b: Set<string>): number {
  let count = 0;
  for (const word of a) if (b.has(word)) count++;
  return count;
}

const RED_LINE =
  /error|fail|exception|cannot|can't|could ?n.t|unable|unsupported|not found|no such|refused|denied|invalid|missing|undefined|unresolved|panic|time(?:d )?out|exceeded|expected|duplicate|cycle|conflict|violat|mismatch|required|unknown|forbidden|illegal|killed|abort/i;

/** What a red run printed that looks like a complaint. */
export function redText(step: Step | null): string {
  const printed = (step?.run?.output ?? '').split('\n', 2000).map((line) => line.slice(0, 240));
  const isShort = printed.length <= 15;
  const red = printed.filter((line, at) => isShort || RED_LINE.test(line) || RED_LINE.test(printed[at - 1] ?? ''));
  return [step?.run?.error ?? '', ...red.slice(0, 10)].join(' ').slice(0, 900);
}
