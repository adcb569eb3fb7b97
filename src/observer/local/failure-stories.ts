// What the agent tells of a failure it met while working: the sentences, and the failing runs they speak of.
import { type Known, redRunOf, redText, type Trace, traceOf, traceRepairs, weightOf } from './red-trace.ts';
import type { Repair } from './repairs.ts';
import { overlap } from './text/tokens.ts';
import type { Edit, Line, Step } from './turn.ts';
import { findCause } from './words/cause.ts';
import { isChatter, isOffer, isVerification } from './words/chatter.ts';
import { findDeadEnds } from './words/dead-end.ts';
import { readDecision } from './words/decision.ts';
import { stripSpeaker } from './words/lead-in.ts';
import { findNextSteps } from './words/next-step.ts';
import { hasFailed, isOnTheWay, opensAside, tellsRemedy, tellsTrouble } from './words/trouble.ts';
import { startsWithPastVerb } from './words/verbs.ts';

/** `repair` null = no red run of this turn fits, but the words leave no doubt. */
export type Story = {
  lines: Line[];
  repair: Repair | null;
  /** Of the repair's red runs the one that the words fit best. */
  red: Step | null;
};

/** In the order they are told; a sentence belongs to one story. */
export function findStories(said: Line[], repairs: Repair[], known: Known): Story[] {
  const lines = said.slice(0, LINES_READ);
  const traces = traceRepairs(repairs, known);
  const elsewhere = toldElsewhere(lines);
  const stories: Story[] = [];
  const used = new Set<Line>();
  for (const line of lines) {
    if (used.has(line) || isIdle(line)) continue;
    const story = storyAt(line, lines, elsewhere, traces);
    if (!story) continue;
    for (const one of story.lines) used.add(one);
    addStory(stories, story);
  }
  return stories;
}

const LINES_READ = 300;

/** Another paragraph about the same red run goes on with its story; another item is another one. */
function addStory(stories: Story[], story: Story): void {
  const same = stories.find((one) => one.red !== null && one.red === story.red && !story.lines[0]?.item);
  if (same) same.lines = [...same.lines, ...story.lines].slice(0, 4);
  else stories.push(story);
}

function storyAt(line: Line, lines: Line[], elsewhere: Set<Line>, traces: Trace[]): Story | null {
  const told = wholeStory(line, lines, elsewhere);
  const trace = traceOf(textOf(told), traces);
  if (elsewhere.has(line)) {
    // A decision that answers a failure tells of both.
    const isBoth = trace !== null && hasFailed(line) && weightOf(line.text, trace) >= 3 && readDecision(line) !== null;
    return isBoth ? tell([line], trace) : null;
  }
  const isMended = opensAside(line) || tellsRemedy(textOf(told));
  if ((isOnTheWay(line) || (traces.length > 0 && hasFailed(line))) && isTrouble(told) && isMended)
    return tell(told, trace ?? (traces.length === 1 ? (traces[0] ?? null) : null));
  if (trace === null) return null;
  // The first sentence tells what came of it all; only words of trouble make it a story.
  const isFirst = !line.item && line === lines.find((one) => !isChatter(one.text));
  const isDeed = isFirst || startsWithPastVerb(stripSpeaker(line.text));
  const isClose = weightOf(line.text, trace) >= 3 && !isDeed;
  return isClose || (isTrouble([line]) && HAPPENED.test(textOf(told))) ? tell(told, trace) : null;
}

/** What a thing does from now on is no story; what it did, or does now instead, is. */
const HAPPENED =
  /\b(?:was|were|had|did(?:n['’]t)?|could(?:n['’]t)?|would(?:n['’]t)?|got|first|now|until|no longer|went|came|gone|broke|failed|fixed|stopped|ran|panicked|crashed|dropped|lost|refuse[sd]|moved|needs?|needed|because|since)\b/i;

const textOf = (lines: Line[]): string => lines.map((line) => line.text).join(' ');

function tell(lines: Line[], trace: Trace | null): Story {
  return { lines, repair: trace?.repair ?? null, red: trace ? redRunOf(textOf(lines), trace) : null };
}

/** Both speak of the same failure. */
export function isSameFailure(a: Story, b: Story): boolean {
  if (a.repair === null || a.repair !== b.repair || a.red === b.red) return a.repair === b.repair;
  return overlap(redText(a.red), redText(b.red)) >= 0.6;
}

/** What was changed between this red run and the next. */
export function editsAfter(red: Step, repair: Repair): Edit[] {
  const next = repair.again.find((step) => step.index > red.index);
  return repair.edits.filter((edit) => edit.index > red.index && (!next || edit.index < next.index));
}

/** Next steps, dead ends and decisions have their own place. */
function toldElsewhere(lines: Line[]): Set<Line> {
  const steps = findNextSteps(lines).map((step) => step.line);
  const ends = findDeadEnds(lines).flatMap((end) => end.lines);
  return new Set([...steps, ...ends, ...lines.filter((line) => readDecision(line) !== null)]);
}

function isIdle(line: Line): boolean {
  return isChatter(line.text) || isOffer(line.text) || isBareResult(line) || /[?:]$/.test(line.text);
}

/** "The build failed with 8.5 until I bumped the wrapper" is more than what a check said. */
function isBareResult(line: Line): boolean {
  return isVerification(line.text) && !(hasFailed(line) && tellsRemedy(line.text));
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
