// What a prompt asks of the memory: something to be looked up, what is left to do, what was done, why; or nothing.
import { readPhrases, readPhraseWords } from '../core/phrases.ts';
import { askedPairs, camelPieces, hasCjk } from '../core/words.ts';
import { stemsOf } from '../search/alike.ts';
import { isStopWord } from '../search/stop-words.ts';
import table from './questions.txt' with { type: 'text' };

export type Question = {
  text: string;
  /** any: it may be about the past. open, recap, why: it is. */
  kind: 'any' | 'open' | 'recap' | 'why';
  when: 'yesterday' | 'week' | 'last';
};

const patternOf = readPhrases(table);
const everyPatternOf = readPhrases(table, 'giu');
const says = (text: string, use: string) => patternOf(use).test(text);

/** Null when the prompt tells too little: a command, a greeting, "go on". */
export function readQuestion(prompt: string): Question | null {
  const text = withoutCommand(prompt.trim())?.slice(0, LONGEST);
  if (!text) return null;
  const isShort = text.length <= LONGEST_QUESTION;
  const kind = isShort ? (['open', 'recap', 'why'] as const).find((one) => says(text, one)) : undefined;
  if (!kind && !tellsEnough(text)) return null;
  const when = (['yesterday', 'week'] as const).find((time) => says(text, time)) ?? 'last';
  return { text, kind: kind ?? 'any', when };
}

/** It asks about the world rather than about this work. */
export const isGeneral = (text: string) => says(text, 'general') && !says(text, 'we');

/** It is said of any work. */
export const isIdle = (word: string) => idleWords().has(word.toLowerCase());
const idleWords = readPhraseWords(table, ['idle']);

/** Whether a text has a word of this subject; '' for any text. */
export function sharesWord(subject: string): (text: string) => boolean {
  if (subject === '') return () => true;
  const [stems, pairs] = [stemsOf(subject), askedPairs(subject)];
  return (text) => !stems.isDisjointFrom(stemsOf(text)) || pairs.some((pair) => text.includes(pair));
}

/** Without the words that ask: what the question is about. '' for one about everything. */
export function subjectOf(text: string): string {
  const rest = ASKING.reduce((left, use) => left.replace(everyPatternOf(use), ' '), text);
  if (hasCjk(rest)) return (rest.match(CJK_SUBJECT) ?? []).join(' ');
  return listTelling(rest)
    .filter((word) => !askingWords().has(word.toLowerCase()))
    .join(' ');
}

/** Endings and particles are written in hiragana, or are one sign. */
const CJK_SUBJECT = /[\p{Script=Han}\p{Script=Katakana}ー\p{Script=Latin}\p{N}_]{2,}/gu;
const ASKING = ['open', 'recap', 'why', 'yesterday', 'week'];
const askingWords = readPhraseWords(table, ASKING);

/** A question about the past in general is a sentence; a page that says "still open" somewhere is not. */
const LONGEST_QUESTION = 200;
const LONGEST = 4000;
const FEWEST = 2;
const SHORTEST_CJK = 5;

function tellsEnough(text: string): boolean {
  if (hasCjk(text)) return [...text].length >= SHORTEST_CJK;
  const words = listTelling(text);
  return words.length >= FEWEST || words.some(isName);
}

/** The words of a text that say what it is about: neither idle ones nor those that are said of any work. */
function listTelling(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}_$]+/gu) ?? [];
  const isTelling = (word: string) => word.length > 1 && !isStopWord(word.toLowerCase()) && !isIdle(word);
  return [...new Set(words.filter(isTelling))];
}

/** `/fix the login` asks for what follows it; `/clear` asks for nothing. */
function withoutCommand(text: string): string | null {
  if (/^[!#]/.test(text)) return null;
  const [, rest] = /^\/[\w:-]+\s*(.*)$/s.exec(text) ?? [];
  return rest === undefined ? text : rest.trim() || null;
}

/** `MAX_ATTEMPTS`, `parseQuery`: one such word is a question. */
const isName = (word: string) => /\p{L}[_$]\p{L}/u.test(word) || camelPieces(word).length > 1;
