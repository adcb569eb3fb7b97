// Whether two texts say the same, and the pieces by which a text is known again.
import commonWords from './common-words.txt' with { type: 'text' };
import { splitSentences } from './text.ts';

/** Words that say nothing of what a text is about: they are in any text, however small the memory is. */
export const COMMON_WORDS: ReadonlySet<string> = new Set(commonWords.split(/\s+/));

const SHARE = 0.75;
const LEAST_WORDS = 3;

export function shareMost(one: Set<string>, other: Set<string>): boolean {
  const shared = [...one].filter((word) => other.has(word)).length;
  const least = Math.min(one.size, other.size);
  return least >= LEAST_WORDS && shared >= SHARE * least;
}

const contentWords = (text: string) =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).filter((word) => !COMMON_WORDS.has(word)));

type Gone = {
  /** The title of the memory, its facts and its other texts. */
  texts: string[];
  /** Each of these alone tells. */
  telling: string[];
  /** Two of these in a sentence do. */
  words: string[];
};

/** By a name or a run of words that tells, by two rare words, or by most of the words of one of its sentences. */
export function createJudge({ texts, telling, words }: Gone): (paragraph: string) => boolean {
  const runs = telling.map(flat);
  const rare = words.map(flat);
  const said = texts.flatMap((text) => [text, ...sentencesOf(text)]).map(contentWords);
  const isSaid = (sentence: string) => {
    const own = contentWords(sentence);
    return said.some((gone) => shareMost(own, gone) || isPair(gone, own));
  };
  return (paragraph) => {
    const whole = flat(paragraph);
    if (runs.some((run) => whole.includes(run))) return true;
    return sentencesOf(paragraph).some((sentence) => countIn(flat(sentence), rare) >= 2 || isSaid(sentence));
  };
}

const countIn = (text: string, words: string[]) => words.filter((word) => text.includes(word)).length;

/** "Budget doubled" has two words to be known by: both are there. */
const isPair = (gone: Set<string>, own: Set<string>) => gone.size === 2 && [...gone].every((word) => own.has(word));

const sentencesOf = (text: string) => text.split('\n').flatMap(splitSentences);

const flat = (text: string) => text.toLowerCase().replace(/\s+/g, ' ');

/** The pieces by which a text is known again: names and numbers that are no common words, and runs of five words. */
export type Pieces = {
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
  // A path is long, and in any record of its project: first what was said word by word.
  const byWords = (a: string, b: string) => apart(b).length - apart(a).length || byLength(a, b);
  return {
    telling: [...odd.sort(byLength).slice(0, most / 2), ...runs.sort(byWords).slice(0, most)],
    words: words
      .filter((word) => word.length >= 6 && word.length <= LONGEST)
      .sort(byLength)
      .slice(0, most),
  };
}

/** As blanks part it: a path, a link or an address counts once. */
export const apart = (text: string): string[] => text.split(/\s+/);

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
