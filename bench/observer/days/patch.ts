// The structuredPatch of Claude Code for one change of a file.

export type PatchHunk = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] };

const CONTEXT = 3;

/** One hunk around everything that differs: an Edit changes one place. */
export function makePatch(before: string, after: string): PatchHunk[] {
  if (before === after) return [];
  const old = toLines(before);
  const now = toLines(after);
  const head = countSame(old, now);
  const tail = countSame(old.slice(head).reverse(), now.slice(head).reverse());
  const start = Math.max(0, head - CONTEXT);
  const oldEnd = old.length - tail;
  const lines = [
    ...old.slice(start, head).map((line) => ` ${line}`),
    ...old.slice(head, oldEnd).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...old.slice(oldEnd, oldEnd + CONTEXT).map((line) => ` ${line}`),
  ];
  const oldLines = lines.filter((line) => !line.startsWith('+')).length;
  const newLines = lines.filter((line) => !line.startsWith('-')).length;
  return [{ oldStart: start + 1, oldLines, newStart: start + 1, newLines, lines }];
}

function toLines(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function countSame(left: string[], right: string[]): number {
  let count = 0;
  while (count < left.length && count < right.length && left[count] === right[count]) count += 1;
  return count;
}
