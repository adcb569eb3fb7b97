// Repairs of older code on the way to something else, of which nobody speaks: the failure, the edit and the green run tell them.
import type { ObservationDraft } from '../../core/observation.ts';
import { conceptsFor } from './concepts.ts';
import { fact, makeDraft } from './draft.ts';
import { changesOf } from './edits/changes.ts';
import { describeChanges, describeFile, isTestFile } from './edits/describe.ts';
import type { Work } from './piece-of-work.ts';
import { isSpokenOf } from './red-trace.ts';
import { failedKind, type Repair } from './repairs.ts';
import { overlap } from './text/tokens.ts';
import type { Edit } from './turn.ts';
import { describeRun } from './verification.ts';

/** `told` = the observations already made of this work: a repair that one of them mentions is not told again. */
export function silentFixes(work: Work, told: ObservationDraft[]): ObservationDraft[] {
  const others = work.type === 'bugfix' ? work.repairs.slice(1) : work.repairs;
  return others
    .filter((repair) => isOfOlderCode(repair, work) && !isMentioned(repair, told) && !isSpokenOf(repair, work.lines))
    .map(silentDraft);
}

/** Mending what the same turn had just written is part of writing it. */
function isOfOlderCode(repair: Repair, work: Work): boolean {
  if (repair.success === null || repair.edits.length === 0 || failedKind(repair.failure) === 'lint') return false;
  const error = repair.failure.run?.error ?? repair.failure.run?.tests?.failing[0] ?? '';
  if (error === '' || NOT_THERE.test(error) || repair.edits.every(isTypo)) return false;
  const before = work.group.edits.filter((edit) => edit.index < repair.failure.index);
  const written = new Set(before.flatMap((edit) => changed(edit, '+')));
  const touched = new Set(before.map((edit) => edit.file));
  return repair.edits.some((edit) => {
    if (edit.created || isTestFile(edit.file)) return false;
    return changed(edit, '-').some((line) => !written.has(line)) || !touched.has(edit.file);
  });
}

/** A command that was not there, and then called by its right name. */
const NOT_THERE = /command not found|not recognized as/;

/** One word of a line spelled right. */
function isTypo(edit: Edit): boolean {
  const [before, after] = [changed(edit, '-'), changed(edit, '+')];
  if (before.length !== 1 || after.length !== 1) return false;
  const [from, to] = [before[0] ?? '', after[0] ?? ''];
  let start = 0;
  while (start < from.length && from[start] === to[start]) start++;
  let end = 0;
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const [gone, come] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  return gone.length <= 2 && come.length <= 2 && /^[a-z]*$/i.test(gone + come);
}

function isMentioned(repair: Repair, told: ObservationDraft[]): boolean {
  const files = new Set(repair.edits.map((edit) => edit.file));
  return told.some(
    (one) =>
      one.type === 'bugfix' &&
      (one.filesModified.some((file) => files.has(file)) ||
        overlap(one.title ?? '', describeRun(repair.failure)) >= 0.6),
  );
}

function silentDraft({ failure, success, edits }: Repair): ObservationDraft {
  const changes = changesOf(edits);
  const files = changes.map((change) => change.file);
  return makeDraft({
    type: 'bugfix',
    title: `Fix ${describeRun(failure)}`,
    subtitle: describeChanges(changes),
    facts: [
      fact(`Before: ${describeRun(failure)}.`, failure.id),
      ...changes.map((change) => fact(describeFile(change), ...change.sources)),
      ...(success ? [fact(`${describeRun(success)}.`, success.id)] : []),
    ],
    concepts: conceptsFor('bugfix', files),
    filesModified: files,
    outcome: 'passed',
    origin: 'command',
    at: success?.time ?? failure.time,
  });
}

function changed(edit: Edit, sign: string): string[] {
  const lines = edit.hunks.flatMap((hunk) => hunk.lines).slice(0, 1000);
  return lines
    .filter((line) => line.startsWith(sign) && line.slice(1).trim() !== '')
    .map((line) => line.slice(1).trim());
}
