// Where an earlier piece of work stands in the course of a session, and what happened to its files after it.
import type { OpenWork } from '../../store/memories/outcomes.ts';
import { isTestFile } from '../local/edits/describe.ts';
import type { Edit, Step, Turn } from '../local/turn.ts';

/** The index of the last step that the work was made of, or that came before it; -1: all of the session came after it. */
export function placeOf(turn: Turn, { sources, at }: OpenWork, isOwn: boolean): number {
  const made = isOwn ? turn.steps.findLastIndex((step) => sources.includes(step.id)) : -1;
  return Math.max(
    made,
    turn.steps.findLastIndex((step) => step.time <= at),
  );
}

/** Edits of these files after one step and before another. */
export function editsBetween(turn: Turn, files: string[], { from, to }: { from: number; to: number }): Edit[] {
  return turn.steps
    .filter((step) => step.index > from && step.index < to)
    .flatMap((step) => step.edits.filter((edit) => files.includes(edit.file)));
}

/** Something put another state of all files into the work tree: what is checked then may be without the work. */
export function isTreeSwapped(turn: Turn, { from, to }: { from: number; to: number }): boolean {
  return turn.steps.some((step) => step.index > from && step.index < to && swapsTree(step));
}

function swapsTree(step: Step): boolean {
  if (step.run?.failed) return false;
  return step.git.some(
    (deed) => (deed.kind === 'undo' && deed.files.length === 0) || (deed.kind === 'branch' && !deed.created),
  );
}

/** What the work is: its code, or its tests where it is nothing else. */
export function mainFiles(files: string[]): string[] {
  const code = files.filter((file) => !isTestFile(file));
  return code.length > 0 ? code : files;
}
