// Everything known about one piece of work: its changes, its repairs, and what was said about it.
import type { ObservationType } from '../../core/observation.ts';
import { unique } from './draft.ts';
import { changesOf, type FileChange } from './edits/changes.ts';
import { baseName, isTestFile } from './edits/describe.ts';
import { findStories, type Story } from './failure-stories.ts';
import { isOnlyRepairs, type Repair } from './repairs.ts';
import { sharedWords } from './text/tokens.ts';
import { agentLines, type Line, type Turn } from './turn.ts';
import { isAboutTrouble } from './words/asked.ts';
import { findCause, isStrongCause } from './words/cause.ts';
import { isCaveat, isChatter, isVerification } from './words/chatter.ts';
import { isDeadEnd } from './words/dead-end.ts';
import { readDecision } from './words/decision.ts';
import { doneLines, findHeadline, type Headline } from './words/done.ts';
import { readGain } from './words/figures.ts';
import { findNextSteps } from './words/next-step.ts';
import { isOnTheWay } from './words/trouble.ts';
import type { WorkGroup } from './work-groups.ts';
import { typeOfWork } from './work-type.ts';

export type Work = {
  group: WorkGroup;
  changes: FileChange[];
  repairs: Repair[];
  lines: Line[];
  names: string[];
  head: Headline | null;
  cause: Line | null;
  type: ObservationType;
  /** Failures met on the way to it, of which the agent tells. */
  asides: Story[];
};

/** `isOneOfSeveral` = the turn holds other pieces too: only the words about this one count. */
export function readWork(turn: Turn, group: WorkGroup, all: Repair[], isOneOfSeveral: boolean): Work {
  const changes = changesOf(group.edits);
  const names = namesOf(changes);
  const subject = group.commits.at(-1)?.commit.subject ?? null;
  const told = turn.closing?.statements ?? agentLines(turn);
  const notes = turn.commitNotes.filter((note) => group.commits.some(({ step }) => step.id === note.id));
  const about = isOneOfSeveral ? linesAbout(told, names, subject ?? '') : told;
  const lines = unique([...about, ...notes.flatMap((note) => note.statements)]);
  const repairs = all.filter((repair) => belongsTo(repair, group));
  const prompt = isOneOfSeveral
    ? askedHere(turn, [subject ?? '', ...names])
    : [...turn.prompts.map((one) => one.text), turn.goal].join('\n').trim();
  const isRedFirst = (repair: Repair) => repair.success !== null && startedRed(repair, group);
  const asides = asidesOf(findStories(lines, repairs), isRedFirst, prompt);
  const free = lines.filter((line) => !asides.some((story) => story.lines.includes(line)));
  const head = findHeadline(free, names, prompt);
  const opening = openingOf(free);
  const cause = earlierCause(findCause(free, isNoCause, names), opening);
  const type = typeOfWork({
    commitSubject: subject,
    prompt,
    headline: head?.text ?? null,
    changes,
    startedRed: repairs.some(isRedFirst),
    onlyRepairs: isOnlyRepairs(group.edits, repairs),
    causeStated: cause !== null && isStrongCause(cause.text),
    isExplained: cause !== null || head?.lead === true || opening !== null,
    isGain: free.some((line) => readGain(line.text) !== null),
  });
  const why = cause ?? (type === 'bugfix' ? (opening ?? (head?.lead ? head.line : null)) : null);
  return { group, changes, repairs, lines, names, head, cause: why, type, asides };
}

/** "Fix the scroll jump and add a filter": the part of the request that this piece answers. */
function askedHere(turn: Turn, about: string[]): string {
  const clauses = turn.prompts.flatMap((one) => one.text.slice(0, 1200).split(/[.!?;\n]\s*|,? and (?:then )?|, then /));
  const words = about.join(' ');
  const ranked = clauses.map((clause) => ({ clause, weight: sharedWords(clause, words) }));
  return (
    ranked
      .sort((a, b) => b.weight - a.weight)
      .find((one) => one.weight > 0)
      ?.clause.trim() ?? ''
  );
}

/** A message opens with what was wrong; a mere "because" further down is about something else. */
function earlierCause(cause: Line | null, opening: Line | null): Line | null {
  if (!cause || !opening || isStrongCause(cause.text) || cause.section !== opening.section) return cause;
  return opening.id === cause.id && opening.block < cause.block ? opening : cause;
}

/** The first story of what was red from the start is the fix itself; in a turn about trouble any first one not met on the way. */
function asidesOf(stories: Story[], isRedFirst: (repair: Repair) => boolean, prompt: string): Story[] {
  const isMain = (story: Story) =>
    story.repair !== null && isRedFirst(story.repair) ? true : isAboutTrouble(prompt) && !story.lines.some(isOnTheWay);
  const main = stories.find(isMain);
  return main ? stories.filter((story) => story !== main && story.repair !== main.repair) : stories;
}

function startedRed(repair: Repair, group: WorkGroup): boolean {
  return group.edits.every((edit) => edit.index > repair.failure.index || isTestFile(edit.file));
}

function belongsTo(repair: Repair, group: WorkGroup): boolean {
  return (
    repair.edits.some((edit) => group.edits.includes(edit)) ||
    repair.remedies.some((step) => group.steps.includes(step))
  );
}

/** Whole paragraphs and items: the sentence after the one that names a file speaks of it too. */
function linesAbout(said: Line[], names: string[], subject: string): Line[] {
  const block = (line: Line) => `${line.id} ${line.block}`;
  const about = new Set(said.filter((line) => speaksOf(line, names, subject)).map(block));
  return said.filter((line) => about.has(block(line)));
}

/** The first sentence, when it tells neither what was done nor how the checks went: then it tells what was wrong. */
function openingOf(lines: Line[]): Line | null {
  const first = lines.find((line) => !isChatter(line.text) && !WORKS_AGAIN.test(line.text) && line.text.length >= 20);
  if (!first || first.item || /[?:]$/.test(first.text) || isNoCause(first)) return null;
  return doneLines([first]).length > 0 || findNextSteps([first]).length > 0 ? null : first;
}

const WORKS_AGAIN =
  /\b(?:works?|starts?|builds?|pass(?:es)?|runs?|links?|compiles?|loads?|deploys?|green|back|up|fixed|clean|resolved|impossible) (?:again|now)\b[^:;]{0,20}$/i;

export function isNoCause(line: Line): boolean {
  if (isVerification(line.text) || isCaveat(line.text) || isDeadEnd(line) || readDecision(line) !== null) return true;
  return findNextSteps([line]).length > 0;
}

export function namesOf(changes: FileChange[]): string[] {
  return unique(
    changes.flatMap((change) => [
      baseName(change.file),
      ...change.newNames,
      ...change.touchedNames,
      ...change.goneNames,
      ...change.values.map((value) => value.key),
    ]),
  );
}

function speaksOf(line: Line, names: string[], subject: string): boolean {
  return names.some((name) => name.length > 3 && line.text.includes(name)) || sharedWords(line.text, subject) >= 2;
}
