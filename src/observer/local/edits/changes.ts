// What a turn's edits changed, file by file: symbols added, removed and touched, values from → to, line counts.
import type { Hunk } from '../../../core/event.ts';
import type { Edit } from '../turn.ts';
import { assignment, declaredName } from './symbols.ts';

export type FileChange = {
  file: string;
  created: boolean;
  added: number;
  removed: number;
  /** Declared by an added line and by no removed one. */
  newNames: string[];
  goneNames: string[];
  touchedNames: string[];
  values: { key: string; from: string; to: string }[];
  /** The first changed line before and after, when nothing with a name changed. */
  sample: { from: string; to: string };
  sources: string[];
};

const LINES_READ = 2000;
const NAMES_KEPT = 6;

export function changesOf(edits: Edit[]): FileChange[] {
  const byFile = new Map<string, Edit[]>();
  for (const edit of edits) byFile.set(edit.file, [...(byFile.get(edit.file) ?? []), edit]);
  return [...byFile].map(([file, list]) => fileChange(file, list));
}

function fileChange(file: string, edits: Edit[]): FileChange {
  const hunks = edits.flatMap((edit) => edit.hunks);
  const lines = hunks.flatMap((hunk) => hunk.lines).slice(0, LINES_READ);
  const added = lines.filter((line) => line.startsWith('+'));
  const removed = lines.filter((line) => line.startsWith('-'));
  const declared = names(added);
  const dropped = names(removed);
  return {
    file,
    created: edits.some((edit) => edit.created),
    added: count(hunks, '+'),
    removed: count(hunks, '-'),
    newNames: declared.filter((name) => !dropped.includes(name)).slice(0, NAMES_KEPT),
    goneNames: dropped.filter((name) => !declared.includes(name)).slice(0, NAMES_KEPT),
    touchedNames: touched(hunks, declared, dropped),
    values: valueChanges(removed, added),
    sample: { from: firstLine(removed), to: firstLine(added) },
    sources: [...new Set(edits.map((edit) => edit.id))],
  };
}

function count(hunks: Hunk[], sign: string): number {
  return hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
}

function names(lines: string[]): string[] {
  return [...new Set(lines.flatMap((line) => declaredName(line.slice(1)) ?? []))];
}

/** The nearest declaration above a changed line, and declarations that were themselves rewritten. */
function touched(hunks: Hunk[], declared: string[], dropped: string[]): string[] {
  const found = new Set(declared.filter((name) => dropped.includes(name)));
  for (const hunk of hunks) {
    let enclosing: string | null = null;
    for (const line of hunk.lines.slice(0, LINES_READ)) {
      if (line.startsWith(' ')) enclosing = declaredName(line.slice(1)) ?? enclosing;
      else if (enclosing) found.add(enclosing);
    }
  }
  return [...found].slice(0, NAMES_KEPT);
}

function valueChanges(removed: string[], added: string[]): FileChange['values'] {
  const before = new Map(removed.flatMap((line) => pair(line)));
  return added
    .flatMap((line) => pair(line))
    .flatMap(([key, to]) => {
      const from = before.get(key);
      return from !== undefined && from !== to && from.length <= 60 && to.length <= 60 ? [{ key, from, to }] : [];
    })
    .slice(0, 4);
}

function firstLine(lines: string[]): string {
  const line = lines.map((one) => one.slice(1).trim()).find((one) => /\w/.test(one)) ?? '';
  return line.slice(0, 120);
}

function pair(line: string): [string, string][] {
  const found = assignment(line.slice(1));
  return found ? [[found.key, found.value]] : [];
}
