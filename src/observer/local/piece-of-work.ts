// Everything known about one piece of work: its changes, its repairs, and what was said about it.
import type { ObservationType } from '../../core/observation.ts';
import { unique } from './draft.ts';
import { changesOf, type FileChange } from './edits/changes.ts';
import { baseName, isTestFile } from './edits/describe.ts';
import { isOnlyRepairs, type Repair } from './repairs.ts';
import { sharedWords } from './text/tokens.ts';
import { agentLines, type Line, type Turn } from './turn.ts';
import { findCause, isStrongCause } from './words/cause.ts';
import { isCaveat, isChatter, isVerification } from './words/chatter.ts';
import { isDeadEnd } from './words/dead-end.ts';
import { readDecision } from './words/decision.ts';
import { doneLines, findHeadline, type Headline } from './words/done.ts';
import { findNextSteps } from './words/next-step.ts';
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
  const prompt = turn.prompts.map((one) => one.text).join('\n');
  const head = findHeadline(lines, names, prompt);
  const cause = findCause(lines, isNoCause, names);
  const opening = openingOf(lines);
  const type = typeOfWork({
    commitSubject: subject,
    prompt: isOneOfSeveral ? '' : prompt,
    headline: head?.text ?? null,
    changes,
    startedRed: repairs.some((repair) => repair.success !== null && startedRed(repair, group)),
    onlyRepairs: isOnlyRepairs(group.edits, repairs),
    causeStated: cause !== null && isStrongCause(cause.text),
    isExplained: cause !== null || head?.lead === true || opening !== null,
  });
  const why = cause ?? (type === 'bugfix' ? (opening ?? (head?.lead ? head.line : null)) : null);
  return { group, changes, repairs, lines, names, head, cause: why, type };
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
  const first = lines.find((line) => !isChatter(line.text));
  if (!first || first.item || first.text.length < 20 || /[?:]$/.test(first.text) || isNoCause(first)) return null;
  return doneLines([first]).length > 0 || findNextSteps([first]).length > 0 ? null : first;
}

export function isNoCause(line: Line): boolean {
  return isVerification(line.text) || isCaveat(line.text) || isDeadEnd(line) || readDecision(line) !== null;
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
