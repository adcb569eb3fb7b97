// The words of a text that carry meaning, to tell whether two texts speak of the same thing.

const STOP = new Set(
  (
    'a an the of to and or but because with for in on by as at that which when if so from into than via ' +
    'is are was were be been it its this these ' +
    'those not no now then i we you my our your they their them he she has have had do does did done can ' +
    'could should would will just also all ' +
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

/** Of long texts too: line by line. */
export const wordsIn = (texts: string[]): Set<string> =>
  new Set(texts.flatMap((text) => text.split('\n').flatMap((line) => [...contentWords(line)])));

/** Chinese and Japanese write no spaces: pairs of characters stand for words. */
function cjkPairs(word: string): string[] {
  if (!/[\u3040-\u30ff\u4e00-\u9fff]/.test(word)) return [word];
  return Array.from({ length: Math.max(1, word.length - 1) }, (_, at) => word.slice(at, at + 2));
}

function stem(word: string): string {
  if (word.length < 5 || !/^[a-z]+$/.test(word)) return word;
  return word.replace(/(?:ations?|ings?|ies|ed|es|s|e)$/, '');
}
