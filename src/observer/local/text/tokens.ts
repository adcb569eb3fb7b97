// The words of a text that carry meaning, to tell whether two texts speak of the same thing.

const STOP = new Set(
  (
    'a an the of to and or but because with for in on by as at that which when if so from into than via is are was were be been it its this these ' +
    'those not no now then i we you my our your they their them he she has have had do does did done can could should would will just also all ' +
    'any some more most other out up over only very there here what how why where who'
  ).split(' '),
);

export function contentWords(text: string): Set<string> {
  const words =
    text
      .slice(0, 2000)
      .toLowerCase()
      .match(/[\p{L}\p{N}_$]+/gu) ?? [];
  return new Set(
    words
      .flatMap(cjkPairs)
      .filter((word) => word.length > 1 && !STOP.has(word))
      .map(stem),
  );
}

/** Share of the smaller text's words that the other has too: 0..1. */
export function overlap(a: string, b: string): number {
  const [left, right] = [contentWords(a), contentWords(b)];
  const smaller = Math.min(left.size, right.size);
  if (smaller === 0) return 0;
  return shared(left, right) / smaller;
}

export function sharedWords(a: string, b: string): number {
  return shared(contentWords(a), contentWords(b));
}

function shared(left: Set<string>, right: Set<string>): number {
  let count = 0;
  for (const word of left) if (right.has(word)) count++;
  return count;
}

/** Chinese and Japanese write no spaces: pairs of characters stand for words. */
function cjkPairs(word: string): string[] {
  if (!/[\u3040-\u30ff\u4e00-\u9fff]/.test(word)) return [word];
  return Array.from({ length: Math.max(1, word.length - 1) }, (_, at) => word.slice(at, at + 2));
}

function stem(word: string): string {
  if (word.length < 5 || !/^[a-z]+$/.test(word)) return word;
  return word.replace(/(?:ations?|ings?|ies|ed|es|s|e)$/, '');
}
