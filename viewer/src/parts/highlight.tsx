// A text with the words that matched marked in it.

export type HighlightProps = { text: string; words?: readonly string[] | undefined };

export function Highlight({ text, words = [] }: HighlightProps) {
  if (words.length === 0) return <>{text}</>;
  // Every second piece is what matched: that is how split answers for one group.
  return <>{text.split(toPattern(words)).map((piece, at) => (at % 2 === 1 ? <mark key={at}>{piece}</mark> : piece))}</>;
}

const SHORTEST_INSIDE = 4;

/** The longest first. A short word counts only where a word begins. */
function toPattern(words: readonly string[]): RegExp {
  const parts = [...words]
    .sort((one, other) => other.length - one.length)
    .map((word) => (word.length < SHORTEST_INSIDE ? `(?<![a-z0-9])${literal(word)}` : literal(word)));
  return new RegExp(`(${parts.join('|')})`, 'giu');
}

const literal = (word: string) => word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
