// Edits that a later edit or deletion took back: an attempt that was given up.
import type { Edit } from '../turn.ts';

/**
 * `isDebugging` = a print or a scratch file put in and taken out again: how one looks, not what one tried.
 * `isWhole` = the undoing did nothing else, so it is no work either.
 */
export type Undone = { attempt: Edit; undo: Edit; isDebugging: boolean; isWhole: boolean };

const LOOKED_BACK = 20;

/** Pairs of an edit and the later edit of the same file that put back what it had changed. */
export function findUndoneEdits(edits: Edit[]): Undone[] {
  const pairs: Undone[] = [];
  const open = new Map<string, Edit[]>();
  for (const edit of edits) {
    const before = open.get(edit.file) ?? [];
    const undone = before.slice(-LOOKED_BACK).filter((attempt) => isUndoneBy(attempt, edit, before));
    for (const attempt of undone) {
      const isWhole = edit.deleted || isInverse(attempt, edit);
      pairs.push({ attempt, undo: edit, isDebugging: isDebugging(attempt), isWhole });
    }
    const left = before.filter((attempt) => !undone.includes(attempt));
    open.set(edit.file, undone.length > 0 && pairs.at(-1)?.isWhole ? left : [...left, edit]);
  }
  return pairs;
}

function isUndoneBy(attempt: Edit, edit: Edit, before: Edit[]): boolean {
  if (edit.deleted) return before.some((one) => one.created);
  const [added, removed] = [changed(attempt, '+'), changed(attempt, '-')];
  if (added.length + removed.length === 0) return false;
  if (isInverse(attempt, edit)) return true;
  // Lines that came back prove an undoing even when the same edit goes on; lines that only went may have been improved.
  return removed.length > 0 && isWithin(removed, changed(edit, '+')) && isWithin(added, changed(edit, '-'));
}

function isInverse(attempt: Edit, edit: Edit): boolean {
  return isSame(changed(attempt, '+'), changed(edit, '-')) && isSame(changed(attempt, '-'), changed(edit, '+'));
}

const LINES_COMPARED = 400;

function changed(edit: Edit, sign: string): string[] {
  const lines = edit.hunks.flatMap((hunk) => hunk.lines).slice(0, LINES_COMPARED);
  return lines
    .filter((line) => line.startsWith(sign))
    .map((line) => line.slice(1).trim())
    .filter((line) => line !== '');
}

function isSame(a: string[], b: string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}

function isWithin(part: string[], whole: string[]): boolean {
  const set = new Set(whole);
  return part.every((line) => set.has(line));
}

const DEBUG_LINE =
  /console\.\w+\(|\bprint(?:ln|f)?!?\(|\bdbg!\(|\bdebugger\b|\blog(?:ger)?\.\w+\(|\bputs |\bvar_dump\(|\.only\(|\bpdb\b|breakpoint\(\)|fmt\.Print|eprintln|t\.Log|sleep\(|std::cerr|NSLog/;
const SCRATCH_FILE = /(?:^|[/._-])(?:repro\w*|debug\w*|tmp|temp|scratch|probe|playground|try)(?:[/._-]|$)/i;

function isDebugging(edit: Edit): boolean {
  if (SCRATCH_FILE.test(edit.file)) return true;
  const added = changed(edit, '+');
  return added.length > 0 && added.every((line) => DEBUG_LINE.test(line.slice(0, 300)));
}
