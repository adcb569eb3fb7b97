// Of two texts the lines that differ, without those before and behind that do not.

export function changedPart(before: string, after: string): { old_string: string; new_string: string } {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const part = (lines: string[]) => lines.slice(head, lines.length - tail).join('\n');
  return { old_string: part(old), new_string: part(now) };
}
