// What a query asks for in words: any text becomes a list of terms that the word index understands.
import { stemmer } from 'stemmer';
import { askedPairs, camelPieces, composeText, foldMarks, isAscii, isLatin, withoutCjk } from '../core/words.ts';
import { stopWordsOf, withoutIdleChinese } from './stop-words.ts';

export type Term = {
  /** As the person wrote it. */
  text: string;
  /** As the index knows it; null for a phrase. */
  stem: string | null;
  /** For MATCH. */
  expression: string;
};

/** A whole stack trace may be pasted: its beginning says what it is about. */
const MAX_LENGTH = 4000;
const MAX_TERMS = 48;
const MAX_PHRASES = 12;
const LONGEST_WORD = 80;

/** Letters, digits and the marks on them: what the tokenizer of the index takes for a word. */
const WORD = /[\p{L}\p{N}\p{Co}][\p{L}\p{N}\p{M}\p{Co}]*/gu;
/** Words that are joined as in code and paths: `store/open.ts`, `user_name`. */
const JOINED = /[\p{L}\p{N}\p{M}]+(?:[_./:\\-]+[\p{L}\p{N}\p{M}]+)+/gu;

/** Words without the idle ones (unless there are no others), pieces of identifiers, CJK pairs, then phrases. */
export function readQuery(query: string): Term[] {
  // NUL ends a text inside SQLite, and half a character is no character.
  const text = composeText(query.slice(0, MAX_LENGTH).replaceAll('\0', ' ').toWellFormed());
  const words = [...withoutCjk(text).flatMap((piece) => piece.match(WORD) ?? []), ...camelPieces(text)];
  const isIdle = stopWordsOf(words.map((word) => word.toLowerCase()));
  const telling = words.filter((word) => !isIdle(word.toLowerCase()));
  const tellingPairs = askedPairs(withoutIdleChinese(text)).filter((pair) => [...pair].length > 1);
  const pairs = tellingPairs.length > 0 ? tellingPairs : askedPairs(text);
  const chosen = telling.length > 0 || pairs.length > 0 ? telling : words;
  const terms = [...chosen.map(wordTerm), ...pairs.map(pairTerm)];
  const phrases = (text.match(JOINED) ?? []).slice(0, MAX_PHRASES).map(phraseTerm);
  return [...unique(terms).slice(0, MAX_TERMS), ...unique(phrases)];
}

function wordTerm(word: string): Term {
  const plain = word.slice(0, LONGEST_WORD).toWellFormed();
  return {
    text: plain,
    stem: stemWord(plain),
    expression: isLatin(plain) ? quote(plain) : `(${quote(plain)} OR ${quote(foldMarks(plain))})`,
  };
}

/** A pair is a word of the index; a single character begins one. */
const pairTerm = (pair: string): Term => ({
  text: pair,
  stem: pair,
  expression: [...pair].length > 1 ? quote(pair) : `${quote(pair)} *`,
});

const phraseTerm = (phrase: string): Term => ({ text: phrase, stem: null, expression: quote(phrase) });

const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** As the tokenizer of the index does it: without case, without marks, without endings. */
export const stemWord = keepSome((word: string): string =>
  stemmer(isAscii(word) || isLatin(word) ? foldMarks(word) : word.toLowerCase().replaceAll('ς', 'σ')),
);

/** A word has one stem for ever, and a few thousand words are most of what is said: the latest are kept, at most twice so many. */
const MOST_KEPT = 10_000;

export function keepSome<T extends string | null>(read: (word: string) => T): (word: string) => T {
  let kept = new Map<string, T>();
  let before = new Map<string, T>();
  return (word) => {
    const known = kept.get(word);
    if (known !== undefined) return known;
    const value = before.get(word) ?? read(word);
    if (kept.size >= MOST_KEPT) [kept, before] = [new Map(), kept];
    kept.set(word, value);
    return value;
  };
}

function unique(terms: Term[]): Term[] {
  const seen = new Set<string>();
  return terms.filter(({ stem, text }) => {
    const key = stem ?? text.toLowerCase();
    return !seen.has(key) && seen.add(key);
  });
}
