// What the agent tells of a failure it met while working: the sentences, and the failing runs they speak of.
import { changesOf } from './edits/changes.ts';
import { baseName, isTestFile } from './edits/describe.ts';
import type { Repair } from './repairs.ts';
import { contentWords } from './text/tokens.ts';
import type { Line, Step } from './turn.ts';
import { findCause } from './words/cause.ts';
import { isChatter, isOffer, isVerification } from './words/chatter.ts';
import { findDeadEnds } from './words/dead-end.ts';
import { readDecision } from './words/decision.ts';
import { stripSpeaker } from './words/lead-in.ts';
import { findNextSteps } from './words/next-step.ts';
import { hasFailed, isOnTheWay, opensAside, tellsRemedy, tellsTrouble } from './words/trouble.ts';
import { startsWithPastVerb } from './words/verbs.ts';

/** `repair` null = no red run of this turn fits, but the words leave no doubt. */
export type Story = { lines: Line[]; repair: Repair | null };

/** In the order they are told; a sentence belongs to one story. */
export function findStories(lines: Line[], repairs: Repair[]): Story[] {
  const elsewhere = toldElsewhere(lines);
  const mended = repairs.filter((repair) => repair.success !== null);
  const stories: Story[] = [];
  const used = new Set<Line>();
  for (const line of lines) {
    if (used.has(line) || isIdle(line)) continue;
    const story = storyAt(line, lines, elsewhere, mended);
    if (!story) continue;
    for (const one of story.lines) used.add(one);
    stories.push(story);
  }
  return stories;
}

function storyAt(line: Line, lines: Line[], elsewhere: Set<Line>, repairs: Repair[]): Story | null {
  const told = wholeStory(line, lines, elsewhere);
  const repair = repairToldBy(told, repairs);
  if (elsewhere.has(line)) {
    // A decision that answers a failure tells of both.
    const isBoth =
      repair !== null && hasFailed(line) && weightOf(line.text, repair) >= 3 && readDecision(line) !== null;
    return isBoth ? { lines: [line], repair } : null;
  }
  const isMended = opensAside(line) || tellsRemedy(told.map((one) => one.text).join(' '));
  if ((isOnTheWay(line) || (repairs.length > 0 && hasFailed(line))) && isTrouble(told) && isMended)
    return { lines: told, repair: repair ?? (repairs.length === 1 ? (repairs[0] ?? null) : null) };
  if (repair === null) return null;
  const isClose = weightOf(line.text, repair) >= 4 && !startsWithPastVerb(stripSpeaker(line.text));
  return isClose || isTrouble([line]) ? { lines: told, repair } : null;
}

/** Next steps, dead ends and decisions have their own place. */
function toldElsewhere(lines: Line[]): Set<Line> {
  const steps = findNextSteps(lines).map((step) => step.line);
  const ends = findDeadEnds(lines).flatMap((end) => end.lines);
  return new Set([...steps, ...ends, ...lines.filter((line) => readDecision(line) !== null)]);
}

function isIdle(line: Line): boolean {
  return isChatter(line.text) || isOffer(line.text) || isVerification(line.text) || /[?:]$/.test(line.text);
}

function isTrouble(lines: Line[]): boolean {
  return lines.some((line) => tellsTrouble(line) || findCause([line], () => false) !== null);
}

const GOES_ON =
  /^(?:it|they|this|that|so|now|fixed|added|moved|set|pinned|raised|replaced|switched|removed|bumped|renamed|made|gave|put|wrapped|changed|used?|both|the fix)\b|\bnow\b/i;

/** A list item is one story; in a paragraph, the sentences after it that say what was done about it belong to it. */
function wholeStory(line: Line, lines: Line[], elsewhere: Set<Line>): Line[] {
  const block = lines.filter((one) => one.id === line.id && one.block === line.block && !elsewhere.has(one));
  const rest = block.slice(block.indexOf(line) + 1);
  if (line.item) return [line, ...rest.filter((one) => !isVerification(one.text))];
  if (isOnTheWay(line)) return [line, ...rest.filter((one) => !isVerification(one.text)).slice(0, 2)];
  const end = rest.findIndex((one) => !GOES_ON.test(one.text) || isVerification(one.text) || isChatter(one.text));
  return [line, ...rest.slice(0, end < 0 ? 2 : Math.min(end, 2))];
}

/** Some sentence is about the red runs of this repair, whatever it says of them. */
export function isSpokenOf(repair: Repair, lines: Line[]): boolean {
  return lines.some((line) => weightOf(line.text, repair) >= 2);
}

/** The repair whose red output shares the most words with what is told; null when none shares enough. */
function repairToldBy(lines: Line[], repairs: Repair[]): Repair | null {
  const text = lines.map((line) => line.text).join(' ');
  const ranked = repairs
    .map((repair) => ({ repair, weight: weightOf(text, repair) }))
    .sort((a, b) => b.weight - a.weight);
  return ranked[0] && ranked[0].weight >= 2 ? ranked[0].repair : null;
}

function weightOf(text: string, repair: Repair): number {
  const edited = changesOf(repair.edits.filter((edit) => !isTestFile(edit.file)));
  const names = edited.flatMap((change) => [baseName(change.file), ...change.newNames, ...change.touchedNames]);
  const tests = redRuns(repair).flatMap((step) => step.run?.tests?.failing.flatMap(lastName) ?? []);
  const tool = (repair.failure.run?.tool ?? '').split(' ', 1)[0] ?? '';
  const marks = [names.some((name) => has(text, name)), tests.some((name) => has(text, name)), has(text, tool)];
  return tellingWords(text, redText(repair)) + marks.filter(Boolean).length;
}

const has = (text: string, name: string): boolean => name.length >= 4 && text.includes(name);

const COMMON = new Set(
  'fail error test spec build run expect command exit code line file exception check job task step result warn module import function type name value'.split(
    ' ',
  ),
);

const VERSION = /\d{1,6}(?:\.\d{1,6}){1,3}/g;

/** Shared words, without those that any failure has. */
function tellingWords(a: string, b: string): number {
  const other = contentWords(b);
  const versions = new Set(b.match(VERSION) ?? []);
  const shared = [...contentWords(a)].filter((word) => other.has(word) && !COMMON.has(word)).length;
  return shared + (a.match(VERSION) ?? []).filter((one) => versions.has(one)).length;
}

/** "scan::tests::latin1_file" → "latin1_file". */
function lastName(name: string): string[] {
  return name.split(/::| > |\.|#|\//).slice(-1);
}

export function redRuns(repair: Repair): Step[] {
  return [repair.failure, ...repair.again];
}

const RED_LINE =
  /error|fail|exception|cannot|can't|could ?n.t|unable|unsupported|not found|no such|refused|denied|invalid|missing|undefined|unresolved|panic|time(?:d )?out|exceeded|expected|duplicate|cycle|conflict|violat|mismatch|required|unknown|forbidden|illegal|killed|abort/i;

/** What the red runs printed that looks like a complaint. */
export function redText(repair: Repair): string {
  return redRuns(repair)
    .slice(0, 4)
    .map(({ run }) => {
      const printed = (run?.output ?? '').split('\n', 2000).map((line) => line.slice(0, 240));
      const isShort = printed.length <= 15;
      const red = printed.filter((line, at) => isShort || RED_LINE.test(line) || RED_LINE.test(printed[at - 1] ?? ''));
      return [run?.error ?? '', ...red.slice(0, 10)].join(' ').slice(0, 900);
    })
    .join(' ')
    .slice(0, 1900);
}
