// What a prompt asks of the memory: something to be looked up, what is left to do, what was done, why; or nothing. And whether something
// was found that it is about: who gives a session something beside the point does more harm than silence.
import { formatRef } from '../core/memory.ts';
import { readPhrases, readPhraseTest, readPhraseWords } from '../core/phrases.ts';
import type { SearchHit } from '../core/shapes/search.ts';
import { askedPairs, camelPieces, hasCjk } from '../core/words.ts';
import { stemsOf } from '../search/alike.ts';
import type { Found } from '../search/find.ts';
import { readQuery } from '../search/query-words.ts';
import { isStopWord } from '../search/stop-words.ts';
import table from './questions.txt' with { type: 'text' };

export type Question = {
  text: string;
  /** any: it may be about the past. open, recap, why: it is. */
  kind: 'any' | 'open' | 'recap' | 'why';
  when: 'yesterday' | 'week' | 'last';
};

const everyPatternOf = readPhrases(table, 'giu');
const holds = readPhraseTest(table);
const says = (text: string, use: string) => holds(use, text.toLowerCase());

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

/** By these words a memory is known that changes what was agreed on before. */
export const amendingWords = readPhraseWords(table, ['amend']);

/** It asks about the world rather than about this work. */
const isGeneral = (text: string) => says(text, 'general') && !says(text, 'we');

/** It is said of any work. */
const isIdle = (word: string) => idleWords().has(word.toLowerCase());
const idleWords = readPhraseWords(table, ['idle']);

/** Whether a text has a word of this subject; '' for any text. */
export function sharesWord(subject: string): (text: string) => boolean {
  if (subject === '') return () => true;
  const [stems, pairs] = [stemsOf(subject), askedPairs(subject)];
  return (text) => !stems.isDisjointFrom(stemsOf(text)) || pairs.some((pair) => text.includes(pair));
}

/** Without the words that ask: what the question is about. '' for one about everything. */
export function subjectOf(text: string): string {
  const rest = [...ASKING, 'last'].reduce((left, use) => left.replace(everyPatternOf(use), ' '), text);
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

/** docs/benchmarks.md: how these were found. Of what a memory and a prompt have in common: each word, all of them, the meaning. */
const OF_A_WORD = 0.05;
const MOST_WORDS = 4;
const OF_ALL_WORDS = 0.25;
const OF_LIKENESS = 0.5;
/** A question about the world shares words with any work. */
const GENERAL = 0.1;
const ENOUGH = 0.585;
/** Where nothing is known of the meaning; and where no model reads the language, so that all of it is alike. */
const ENOUGH_BY_WORDS = 0.25;
const ENOUGH_UNREAD = 0.13;

type Sure = (hit: Pick<SearchHit, 'id' | 'sameTurn' | 'alike' | 'title' | 'snippet'>) => boolean;

/** Stricter than the gate of search: nobody asked. Some of the words must stand in what would be given. Null when nothing is sure. */
export function judgeSure(prompt: string, { scored, isRead, hasMeaning }: Found): Sure | null {
  const asked = listAsked(prompt);
  const all = countWorth(asked) || 1;
  const general = isGeneral(prompt) ? GENERAL : 0;
  const usual = median(scored.map(({ likeness }) => likeness ?? 0));
  const isNear = ({ words, likeness }: Found['scored'][number]) => {
    const own = countWorth(asked.filter((word) => words.includes(word)));
    const byWords = OF_A_WORD * Math.min(MOST_WORDS, own) + (OF_ALL_WORDS * own) / all - general;
    if (!isRead) return byWords >= ENOUGH_UNREAD;
    if (!hasMeaning || likeness === null) return byWords >= ENOUGH_BY_WORDS;
    return byWords + OF_LIKENESS * likeness + (likeness - usual) >= ENOUGH;
  };
  const refs = scored.filter(isNear).map(({ candidate }) => ({ kind: candidate.kind, id: candidate.ref }));
  const near = new Set(refs.map(formatRef));
  if (near.size === 0) return null;
  const speaksOf = sharesWord(asked.join(' '));
  return ({ id, sameTurn, alike, title, snippet }) =>
    [id, ...sameTurn, ...alike].some((one) => near.has(one)) && speaksOf(`${title} ${snippet ?? ''}`);
}

const listWords = (text: string) => readQuery(text).flatMap(({ stem, text: word }) => (stem === null ? [] : [word]));

/** The words that tell something, as search knows them; without the pieces of a name that is there itself. */
function listAsked(prompt: string): string[] {
  const words = listWords(prompt).filter((word) => !isIdle(word));
  const isPiece = (word: string) =>
    !hasCjk(word) && words.some((other) => other !== word && other.toLowerCase().includes(word.toLowerCase()));
  return words.filter((word) => !isPiece(word));
}

/** Half of all pairs of characters lie across two words. */
const countWorth = (words: string[]) => words.reduce((sum, word) => sum + (hasCjk(word) ? 0.5 : 1), 0);

/** What a question in this language has in common with anything. */
function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
