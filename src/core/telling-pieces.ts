// The pieces by which a text is known again: names and numbers that are no common words, and runs of five words.

export type Pieces = {
  /** Each alone tells that a text repeats this one. */
  telling: string[];
  /** Words that several texts may have in common; the longest first. */
  words: string[];
};

/** Each costs a look at every byte that is kept. */
const MAX_PIECES = 12;
const RUN = 5;
const STEP = 3;
const LONGEST = 160;
const WORD = /[\p{L}\p{N}_$]+/gu;

/** `most`: so many of each kind, the names half of that. */
export function findPieces(texts: string[], most = MAX_PIECES): Pieces {
  const words = [...new Set(texts.flatMap((text) => text.match(WORD) ?? []))];
  const odd = words.filter(isOdd);
  const runs = [...new Set(texts.flatMap(listRuns))];
  // The longest are the least likely to be in a text by chance.
  const byLength = (a: string, b: string) => b.length - a.length;
  return {
    telling: [...odd.sort(byLength).slice(0, most / 2), ...runs.sort(byLength).slice(0, most)],
    words: words
      .filter((word) => word.length >= 6 && word.length <= LONGEST)
      .sort(byLength)
      .slice(0, most),
  };
}

/** An identifier, a number, a shout, or a run of a script without spaces. */
function isOdd(word: string): boolean {
  if (word.length > LONGEST) return false;
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{4}/u.test(word)) return true;
  return word.length >= 5 && (/[\p{N}_$]|\p{Ll}\p{Lu}/u.test(word) || /^\p{Lu}+$/u.test(word) || word.length >= 14);
}

/** As they stand in the text, and in any JSON that holds it: not over the end of a line, nor over a quote. */
function listRuns(text: string): string[] {
  return text.split(/[\n"\\]/).flatMap((line) => {
    const places = [...line.matchAll(WORD)].map((match) => [match.index, match.index + match[0].length] as const);
    const length = Math.min(RUN, places.length);
    const runs: string[] = [];
    for (let at = 0; length > 1 && at + length <= places.length; at += STEP) {
      const run = line.slice(places[at]?.[0], places[at + length - 1]?.[1]);
      if (run.length >= 12 && run.length <= LONGEST) runs.push(run);
    }
    return runs;
  });
}
