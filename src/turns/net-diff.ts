// What a turn changed in a file as a whole: many edits, undone and redone, as one diff.
import { diffArrays } from 'diff';
import type { Hunk } from '../core/event.ts';

/** A line as it is now. `text`: null where no edit has shown it. `origin`: its number in the file before the turn; null for a new one. */
type Line = { text: string | null; origin: number | null };

/** The file from its first line on, as far as edits reach; or, where nobody told the place, some lines of it. */
type Stretch = {
  isPlaced: boolean;
  lines: Line[];
  /** Of the file before the turn: the numbers of its lines here, and the texts that are known. */
  first: number;
  last: number;
  before: Map<number, string>;
};

/** Lines of a diff: `-` and `+`, with `@@ line` (of the file before the turn) at each place. Empty when all of it was undone. */
export function netDiff(edits: Hunk[][]): string {
  const stretches = [newStretch(true)];
  for (const hunks of edits) {
    // From the end of the file to its start: what is applied first must not move the others.
    for (const hunk of hunks.toSorted((one, other) => other.oldStart - one.oldStart)) apply(stretches, hunk);
  }
  return stretches.flatMap(writeStretch).join('\n');
}

const newStretch = (isPlaced: boolean): Stretch => ({ isPlaced, lines: [], first: 1, last: 0, before: new Map() });

/** No file that anybody edits is longer: another number is not a place. */
const FARTHEST = 200_000;

function apply(stretches: Stretch[], { oldStart, lines: all }: Hunk): void {
  // "\ No newline at end of file" is no line of it.
  const lines = all.filter((line) => !line.startsWith('\\'));
  const old = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1));
  const [file = newStretch(true)] = stretches;
  const isFirst = stretches.length === 1 && file.lines.length === 0 && old.length === 0;
  const told = isFirst ? 1 : oldStart;
  // What an edit says stood there must be what earlier edits left there: else it was somewhere else, whatever its agent counts.
  if (told > 0 && told < FARTHEST && sharedAt(file, old, told - 1) !== null) {
    edit(file, lines, told - 1);
    return;
  }
  const places = stretches.map((stretch) => ({ stretch, at: findLines(stretch, old) }));
  const { stretch, at } = places.find((place) => place.at !== null) ?? { stretch: newStretch(false), at: 0 };
  if (!stretches.includes(stretch)) stretches.push(stretch);
  edit(stretch, lines, at ?? 0);
}

/** How many of the lines are known to stand there; null when another one does. */
function sharedAt({ lines }: Stretch, wanted: string[], at: number): number | null {
  let shared = 0;
  for (const [k, line] of wanted.entries()) {
    const text = lines[at + k]?.text ?? null;
    if (text !== null && text !== line) return null;
    if (text !== null) shared++;
  }
  return shared;
}

/** Where lines stand that an earlier edit has shown: all of them, or more than one. */
function findLines(stretch: Stretch, wanted: string[]): number | null {
  for (let at = stretch.isPlaced ? 0 : 1 - wanted.length; at < stretch.lines.length; at++) {
    const shared = sharedAt(stretch, wanted, at) ?? 0;
    if (shared > 1 || (shared === 1 && wanted.length === 1)) return at;
  }
  return null;
}

function edit(stretch: Stretch, hunk: string[], place: number): void {
  let at = place;
  for (; at < 0; at++) stretch.lines.unshift({ text: null, origin: --stretch.first });
  const size = hunk.filter((line) => !line.startsWith('+')).length;
  while (stretch.lines.length < at + size) stretch.lines.push({ text: null, origin: ++stretch.last });
  const made: Line[] = [];
  let next = at;
  for (const line of hunk) {
    const text = line.slice(1);
    const here = line.startsWith('+') ? undefined : stretch.lines[next++];
    const origin = here?.origin ?? null;
    if (origin !== null && !stretch.before.has(origin)) stretch.before.set(origin, text);
    if (!line.startsWith('-')) made.push({ text, origin });
  }
  stretch.lines = [...stretch.lines.slice(0, at), ...made, ...stretch.lines.slice(next)];
}

/** From one line that no edit has shown to the next. */
function writeStretch({ isPlaced, lines, first, last, before }: Stretch): string[] {
  const written: string[][] = [];
  let from = first;
  let after: string[] = [];
  for (const { text, origin } of [...lines, { text: null, origin: last + 1 }]) {
    if (text !== null) after.push(text);
    if (text !== null || origin === null) continue;
    const gone = Array.from({ length: origin - from }, (_, k) => before.get(from + k) ?? '');
    if (gone.length + after.length > 0) written.push(writeChange(isPlaced ? from : 0, gone, after));
    from = origin + 1;
    after = [];
  }
  return written.flat();
}

/** Two texts that have little in common are told as the one and the other: to find that little would take seconds. */
const MOST_EDITS = 500;

function writeChange(at: number, before: string[], after: string[]): string[] {
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
    if (isOn) for (const one of value) lines.push(`${added ? '+' : '-'}${one}`);
    if (!added) line += value.length;
  }
  return lines;
}
