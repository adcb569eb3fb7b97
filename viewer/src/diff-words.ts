// What differs between two texts, word by word.

export type Piece = { kind: 'same' | 'gone' | 'new'; text: string };

/** Longer ones are shown whole: nobody reads a diff of an essay. */
const MOST_WORDS = 400;
const LEAST_COMMON = 0.34;

/** By the longest common words; punctuation belongs to its word. */
export function diffWords(older: string, newer: string): Piece[] {
  const [a, b] = [older.split(/\s+/).filter(Boolean), newer.split(/\s+/).filter(Boolean)];
  const whole: Piece[] = [
    { kind: 'gone', text: older },
    { kind: 'new', text: newer },
  ];
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return whole;
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    const row = common[i];
    for (let j = b.length - 1; row && j >= 0; j--) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  }
  // Of two sentences with little in common each is read by itself.
  if (at(0, 0) < LEAST_COMMON * Math.max(a.length, b.length)) return whole;
  const pieces: Piece[] = [];
  const add = (kind: Piece['kind'], word: string) => {
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += ` ${word}`;
    else pieces.push({ kind, text: word });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      add('same', left);
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      add('gone', left);
      i++;
    } else if (right !== undefined) {
      add('new', right);
      j++;
    }
  }
  return pieces;
}
