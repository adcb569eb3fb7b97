// Edits that a later edit took back line for line: an attempt that was given up.
import type { Edit } from '../turn.ts';

export type Undone = { attempt: Edit; undo: Edit };

/** Pairs of an edit and the later edit of the same file that is its inverse. */
export function findUndoneEdits(edits: Edit[]): Undone[] {
  const pairs: Undone[] = [];
  const waiting = new Map<string, Edit[]>();
  for (const edit of edits) {
    const key = changeKey(edit, '+', '-');
    const attempts = key === '' ? undefined : waiting.get(`${edit.file}\n${key}`);
    const attempt = attempts?.pop();
    if (attempt && !isDebugging(attempt)) pairs.push({ attempt, undo: edit });
    if (attempt) continue;
    const inverse = changeKey(edit, '-', '+');
    if (inverse !== '') pushTo(waiting, `${edit.file}\n${inverse}`, edit);
  }
  return pairs;
}

/** The lines under the first sign, then those under the second: an edit and its inverse have the same key with signs swapped. */
function changeKey(edit: Edit, first: string, second: string): string {
  const lines = edit.hunks.flatMap((hunk) => hunk.lines);
  const take = (sign: string) =>
    lines
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1).trim())
      .filter(Boolean);
  const [a, b] = [take(first), take(second)];
  return a.length + b.length === 0 || a.length + b.length > 400 ? '' : `${a.join('\n')}\u0000${b.join('\n')}`;
}

function pushTo(map: Map<string, Edit[]>, key: string, edit: Edit): void {
  map.set(key, [...(map.get(key) ?? []), edit]);
}

const DEBUG_LINE =
  /console\.\w+\(|\bprint(?:ln|f)?!?\(|\bdbg!\(|\bdebugger\b|\blog(?:ger)?\.\w+\(|\bputs |\bvar_dump\(|\.only\(|\bpdb\b|breakpoint\(\)|fmt\.Print|eprintln|t\.Log|sleep\(|std::cerr|NSLog/;

/** A print put in and taken out again is how one looks, not what one tried. */
function isDebugging(edit: Edit): boolean {
  const added = edit.hunks
    .flatMap((hunk) => hunk.lines)
    .filter((line) => line.startsWith('+') && line.slice(1).trim() !== '');
  return added.length > 0 && added.every((line) => DEBUG_LINE.test(line.slice(0, 300)));
}
