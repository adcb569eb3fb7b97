// The patches of Codex: one text that adds, changes, moves and deletes several files.
import type { Hunk } from '../../core/event.ts';

export type PatchedFile = { file: string; created: boolean; hunks: Hunk[] };

const BEGIN = '*** Begin Patch';
const END = '*** End Patch';
const FILE = /^\*\*\* (Add|Update|Delete) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;

/** One patch for each file. What is moved is changed in its new place and gone from the old. */
export function splitPatch(patch: string): string[] {
  const parts: string[][] = [];
  for (const line of patch.split('\n')) {
    if (line.trim() === END) break;
    if (FILE.test(line)) parts.push([line]);
    else parts.at(-1)?.push(line);
  }
  return parts.flatMap((lines) => [wrap(lines), ...leftBehind(lines)]);
}

const wrap = (lines: string[]) => [BEGIN, ...lines, END].join('\n');

function leftBehind([head = '', next = '']: string[]): string[] {
  const file = FILE.exec(head)?.[2];
  return file && MOVE.test(next) ? [wrap([`*** Delete File: ${file}`])] : [];
}

/** The first file of a patch, as it is named there. */
export function readPatch(patch: string): PatchedFile | null {
  let read: PatchedFile | null = null;
  for (const line of patch.split('\n')) {
    const [, verb, file] = FILE.exec(line) ?? [];
    if ((read !== null && file) || line.trim() === END) break;
    if (file) read = { file: file.trim(), created: verb === 'Add', hunks: [] };
    else if (read !== null) addLine(read, line);
  }
  return read && { ...read, hunks: read.hunks.filter(({ lines }) => lines.length > 0) };
}

function addLine(read: PatchedFile, line: string): void {
  const moved = MOVE.exec(line)?.[1];
  if (moved) read.file = moved.trim();
  if (line.startsWith('@@')) read.hunks.push(emptyHunk());
  // An empty line is one of the file, whose blank was lost.
  const isOfFile = line === '' ? read.hunks.length > 0 : /^[ +-]/.test(line);
  if (!isOfFile) return;
  if (read.hunks.length === 0) read.hunks.push(emptyHunk());
  read.hunks.at(-1)?.lines.push(line === '' ? ' ' : line);
}

const emptyHunk = (): Hunk => ({ oldStart: 0, newStart: 1, lines: [] });

/** A patch that was given to the shell instead of to its tool. */
export function findPatch(command: string): string | null {
  if (!/(?:^|[\n;&][ \t]{0,20})apply_?patch\b/.test(command)) return null;
  const start = command.indexOf(BEGIN);
  const end = command.indexOf(END, start);
  return start < 0 || end < 0 ? null : command.slice(start, end + END.length);
}
