// A unified diff, as text → its hunks.
import type { Hunk } from '../core/event.ts';

const HEAD = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@/;

export function readDiff(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  for (const line of diff.split('\n')) {
    const [head, from, to] = HEAD.exec(line) ?? [];
    if (head) hunks.push({ oldStart: Number(from), newStart: Number(to), lines: [] });
    else if (/^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks.filter(({ lines }) => lines.length > 0);
}

/** Without a diff: what was there, and what stands in its place. */
export function replaceHunk(before: string, after: string): Hunk[] {
  const lines = [...linesOf(before).map((line) => `-${line}`), ...linesOf(after).map((line) => `+${line}`)];
  return lines.length > 0 ? [{ oldStart: 0, newStart: 1, lines }] : [];
}

/** What ends a line begins no other: a file of one line has one. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
