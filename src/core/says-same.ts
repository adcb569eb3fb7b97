// Whether a paragraph of a record says what a memory says.
import { splitSentences } from './sentences.ts';
import { contentWords, shareMost } from './shared-words.ts';

export type Gone = {
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
