// Everything known about one piece of work: its changes, its repairs, and what was said about it.
import type { ObservationType } from '../../core/observation.ts';
import { unique } from './draft.ts';
import { changesOf, type FileChange } from './edits/changes.ts';
import { baseName } from './edits/describe.ts';
import type { Story } from './failure-stories.ts';
import { isOnlyRepairs, type Repair } from './repairs.ts';
import { isRedFirst, readSaid } from './said-of-work.ts';
import type { Line, Turn } from './turn.ts';
import { findCause, isOnlyResult, isResult, isStrongCause } from './words/cause.ts';
import { isCaveat, isChatter, isVerification } from './words/chatter.ts';
import { isDeadEnd } from './words/dead-end.ts';
import { readDecision } from './words/decision.ts';
import { doneLines, findHeadline, type Headline } from './words/done.ts';
import { readGain } from './words/figures.ts';
import { findNextSteps } from './words/next-step.ts';
import { isGone, isToldAsFix } from './words/told-as-fix.ts';
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
  const repairs = all.filter((repair) => belongsTo(repair, group));
  const said = readSaid(turn, { group, repairs, names, subject }, isOneOfSeveral);
  const { prompt, lines, free, main } = said;
  const head = findHeadline(free, names, prompt);
  const opening = openingOf(free);
  const found = findCause(free, isNoCause, names);
  const told = main?.lines.find((line) => !isResult(line.text)) ?? null;
  const cause = found && isStrongCause(found.text) ? found : earlierCause(told ?? found, opening);
  const type = typeOfWork({
    commitSubject: subject,
    prompt,
    headline: head?.text ?? null,
    changes,
    startedRed: repairs.some((repair) => isRedFirst(repair, group)),
    onlyRepairs: isOnlyRepairs(group.edits, repairs),
    causeStated: cause !== null && isStrongCause(cause.text),
    isExplained: cause !== null || head?.lead === true || opening !== null,
    hasCause: found !== null,
    isToldAsFix: isToldAsFix(free, prompt),
    isGain: free.some((line) => readGain(line.text) !== null),
  });
  const why =
    cause ??
    (type === 'bugfix'
      ? (opening ?? (head?.lead && !isGone(head.text) && !isOnlyResult(head.text) ? head.line : null))
      : null);
  return {
    group,
    changes,
    repairs,
    lines,
    names,
    head,
    cause: why,
    type,
    asides: type === 'bugfix' ? said.asides : said.stories,
  };
}

/** A message opens with what was wrong; a mere "because" further down is about something else. */
function earlierCause(cause: Line | null, opening: Line | null): Line | null {
  if (!cause || !opening || isStrongCause(cause.text) || cause.section !== opening.section) return cause;
  const isEarlier = opening.block < cause.block || (opening.block === cause.block && isResult(cause.text));
  return opening.id === cause.id && isEarlier ? opening : cause;
}

function belongsTo(repair: Repair, group: WorkGroup): boolean {
  return (
    repair.edits.some((edit) => group.edits.includes(edit)) ||
    repair.remedies.some((step) => group.steps.includes(step))
  );
}

/** The first sentence, when it tells neither what was done nor how the checks went: then it tells what was wrong. */
function openingOf(lines: Line[]): Line | null {
  const tells = ({ text }: Line) =>
    !isChatter(text) && !WORKS_AGAIN.test(text) && !isGone(text) && !isOnlyResult(text) && text.length >= 20;
  const first = lines.find(tells);
  if (!first || first.item || /[?:]$/.test(first.text) || isNoCause(first)) return null;
  return doneLines([first]).length > 0 || findNextSteps([first]).length > 0 ? null : first;
}

const WORKS_AGAIN =
  /^(?:(?:the|all) )?[\w `./-]{2,30} (?:is|are) (?:green|fixed|stable|healthy|clean|back|sorted)\b.{0,50}$|^up again\b.{0,20}$|\b(?:works?|starts?|builds?|pass(?:es)?|runs?|links?|compiles?|loads?|deploys?|green|back|up|fixed|clean|resolved|impossible) (?:again|now)\b[^:;]{0,20}$|^[\w `./-]{2,40} (?:is|are) (?:deployed|up|live|through|done|out|running|healthy|merged|released)\b[^:;,]{0,30}$/i;

export function isNoCause(line: Line): boolean {
  if (isVerification(line.text) || isCaveat(line.text) || isDeadEnd(line) || readDecision(line) !== null) return true;
  return (isGone(line.text) && !/:|\bbecause\b/.test(line.text)) || findNextSteps([line]).length > 0;
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
