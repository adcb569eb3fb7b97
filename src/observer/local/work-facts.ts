// The facts of a piece of work: what failed and why, what was done, where, and which commit holds it.
import type { Fact } from '../../core/observation.ts';
import { fact, unique } from './draft.ts';
import type { FileChange } from './edits/changes.ts';
import { describeFile } from './edits/describe.ts';
import type { Work } from './piece-of-work.ts';
import type { Line } from './turn.ts';
import { describeRun } from './verification.ts';
import { causeText } from './words/cause.ts';
import { doneLines } from './words/done.ts';
import { stripSpeaker } from './words/lead-in.ts';
import { isLabelledFix } from './words/told-as-fix.ts';
import { startsWithPastVerb } from './words/verbs.ts';
import type { WorkGroup } from './work-groups.ts';

export function failureFacts({ type, cause, repairs }: Work): Fact[] {
  const first = repairs[0];
  const when = type === 'bugfix' ? 'Before' : 'On the way';
  const before = first ? [fact(`${when}: ${describeRun(first.failure)}.`, first.failure.id)] : [];
  const why = type === 'bugfix' && cause ? [fact(labelled(causeText(cause.text)), cause.id)] : [];
  return [...why, ...before];
}

/** "Fixed the race" tells what was done: it is no cause. */
function labelled(cause: string): string {
  return startsWithPastVerb(stripSpeaker(cause)) ? cause : `Cause: ${cause}`;
}

export function spokenFacts(work: Work): Fact[] {
  const isTold = (line: Line) => work.type === 'bugfix' && line === work.cause && causeText(line.text) === line.text;
  const fixes = work.type === 'bugfix' ? work.lines.filter(isLabelledFix) : [];
  const lines = [...(work.head ? [work.head.line] : []), ...fixes, ...doneLines(work.lines)].filter(
    (line) => !isTold(line),
  );
  return unique(lines)
    .slice(0, 4)
    .map((line) => fact(line.text, line.id));
}

export function fileFacts(changes: FileChange[]): Fact[] {
  const ranked = [...changes].sort((a, b) => b.added + b.removed - (a.added + a.removed));
  const rest = ranked.slice(4);
  const named = `Also changed: ${rest.map((change) => change.file).join(', ')}.`;
  const more = rest.length > 0 ? [fact(named, ...rest.flatMap((change) => change.sources))] : [];
  return [...ranked.slice(0, 4).map((change) => fact(describeFile(change), ...change.sources)), ...more];
}

export function commitFacts(group: WorkGroup): Fact[] {
  return group.commits.map(({ step, commit }) =>
    fact(`Commit ${commit.hash ? `${commit.hash}: ` : ''}${commit.subject}`, step.id),
  );
}
