// What a turn changed in a file as a whole: many edits, undone and redone, as one diff.
import { diffArrays } from 'diff';
import type { Hunk } from '../core/event.ts';

/** Lines that stood at a place of the file before the turn, and what stands there now. `at`: 0 where nobody told the place. */
type Change = { at: number; before: string[]; after: string[] };

/** Sorted, and none touches another. Those without a place are each by itself. */
type Changes = { placed: Change[]; loose: Change[] };

/** What an edit puts in the place of what, at which line of the file as it is then. */
type Edit = { from: number; old: string[]; next: string[] };

/** Lines of a diff: `-` and `+`, with `@@ line` (of the file before the turn) at each place. Empty when all of it was undone. */
export function netDiff(edits: Hunk[][]): string {
  let changes: Changes = { placed: [], loose: [] };
  for (const hunks of edits) {
    // From the end of the file to its start: what is applied first must not move the others.
    for (const hunk of hunks.toSorted((one, other) => other.oldStart - one.oldStart)) changes = add(changes, hunk);
  }
  return [...changes.placed, ...changes.loose].flatMap(writeChange).join('\n');
}

function add({ placed, loose }: Changes, hunk: Hunk): Changes {
  // "\ No newline at end of file" is no line of it.
  const lines = hunk.lines.filter((line) => !line.startsWith('\\'));
  const old = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
  const next = lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
  const isFirst = placed.length === 0 && loose.length === 0 && old.length === 0;
  const isTold = hunk.oldStart > 0 && fits(placed, hunk.oldStart, old);
  const from = isTold ? hunk.oldStart : isFirst ? 1 : findLines(placed, old);
  if (from !== null) return { placed: apply(placed, { from, old, next }), loose };
  for (const [at, change] of loose.entries()) {
    const found = findLines([change], old);
    if (found === null) continue;
    const [joined = change] = apply([change], { from: found, old, next });
    return { placed, loose: loose.with(at, { ...joined, at: 0 }) };
  }
  return { placed, loose: [...loose, { at: 0, before: old, after: next }] };
}

/** What an edit says stood there must be what earlier edits left there: else it was somewhere else, whatever its agent counts. */
function fits(changes: Change[], from: number, old: string[]): boolean {
  return place(changes).every(({ start, change }) =>
    change.after.every((line, k) => {
      const at = start + k - from;
      return at < 0 || at >= old.length || old[at] === line;
    }),
  );
}

function apply(changes: Change[], { from, old, next }: Edit): Change[] {
  const placed = place(changes);
  const touched = placed.filter(
    ({ start, change }) => start <= from + old.length && start + change.after.length >= from,
  );
  const shift = placed.filter(({ start }) => start < from).reduce((sum, { change }) => sum + grown(change), 0);
  const [first] = touched;
  if (!first)
    return [...changes, { at: from - shift, before: old, after: next }].sort((one, other) => one.at - other.at);
  const start = Math.min(from, first.start);
  const joined: Change = {
    at: first.start <= from ? first.change.at : from - shift,
    before: originalOf(touched, { from, old }, start),
    after: currentOf(touched, { from, old, next }, start),
  };
  const rest = changes.filter((change) => !touched.some((one) => one.change === change));
  return [...rest, joined].sort((one, other) => one.at - other.at);
}

const grown = ({ before, after }: Change) => after.length - before.length;

type Placed = { start: number; change: Change };

/** Where each change stands in the file as it is now. */
function place(changes: Change[]): Placed[] {
  let shift = 0;
  return changes.map((change) => {
    const start = change.at + shift;
    shift += grown(change);
    return { start, change };
  });
}

/** The lines of the whole stretch as they were before the turn. */
function originalOf(touched: Placed[], { from, old }: Pick<Edit, 'from' | 'old'>, start: number): string[] {
  const lines: string[] = [];
  let at = start;
  for (const { start: begins, change } of touched) {
    lines.push(...old.slice(Math.max(0, at - from), Math.max(0, begins - from)), ...change.before);
    at = begins + change.after.length;
  }
  return [...lines, ...old.slice(Math.max(0, at - from))];
}

/** The same as they are after the edit. */
function currentOf(touched: Placed[], { from, old, next }: Edit, start: number): string[] {
  const [first] = touched;
  const last = touched.at(-1);
  const lead = first && start < from ? first.change.after.slice(0, from - first.start) : [];
  const end = from + old.length;
  const isLonger = last && last.start + last.change.after.length > end;
  return [...lead, ...next, ...(isLonger ? last.change.after.slice(Math.max(0, end - last.start)) : [])];
}

/** Where lines stand that an earlier edit has touched: all of them, or as many as reach into it, if that is more than one. */
function findLines(changes: Change[], wanted: string[]): number | null {
  for (const { start, change } of place(changes)) {
    for (let at = 1 - wanted.length; at < change.after.length; at++) {
      const common = wanted.filter((_, k) => at + k >= 0 && at + k < change.after.length).length;
      const isHere = wanted.every((line, k) => (change.after[at + k] ?? line) === line);
      if (isHere && (common === wanted.length || common > 1)) return start + at;
    }
  }
  return null;
}

/** Two texts that have little in common are told as the one and the other: to find that little would take seconds. */
const MOST_EDITS = 500;

function writeChange({ at, before, after }: Change): string[] {
  const parts = diffArrays(before, after, { maxEditLength: MOST_EDITS }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  const lines: string[] = [];
  let line = at;
  let isOn = false;
  for (const { added, removed, value } of parts) {
    if ((added || removed) && !isOn) lines.push(at > 0 ? `@@ ${line}` : '@@');
    isOn = added || removed;
    if (added) for (const one of value) lines.push(`+${one}`);
    if (removed) for (const one of value) lines.push(`-${one}`);
    if (!added) line += value.length;
  }
  return lines;
}
