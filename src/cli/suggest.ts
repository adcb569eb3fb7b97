// What was meant by a word that is not known.

/** ` Did you mean X?`, or nothing where no candidate is near. */
export function suggest(word: string, candidates: readonly string[]): string {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: countEdits(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  const [best] = ranked;
  return best && best.distance <= Math.max(1, Math.floor(best.candidate.length / 3)) ? ` Did you mean ${best.candidate}?` : '';
}

/** Letters put in, left out, exchanged for others, or in the wrong order. Nobody means a word by a text. */
function countEdits(from: string, to: string): number {
  if (from.length > 2 * to.length + 2) return from.length;
  let [before, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let at = 1; at <= to.length; at++) {
      const isSame = from[row - 1] === to[at - 1];
      const isSwapped = row > 1 && at > 1 && from[row - 1] === to[at - 2] && from[row - 2] === to[at - 1];
      const edits = Math.min((last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + (isSame ? 0 : 1));
      next.push(isSwapped ? Math.min(edits, (before[at - 2] ?? 0) + 1) : edits);
    }
    [before, last] = [last, next];
  }
  return last[to.length] ?? 0;
}
