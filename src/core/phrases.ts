// Lists of words and phrases per language, kept as data: `LANGUAGE.USE word, two words, …`, a line for each; `#` begins a comment.
import { lazily } from '../secrets/span.ts';

const JOINED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const NEVER = '$^';

/**
 * The pattern of a use, over all languages: whole words, or anywhere where a script puts no blanks. Made when first asked for: a worker
 * that starts has hooks that wait.
 */
export function readPhrases<Use extends string>(table: string, flags = 'iu'): (use: Use) => RegExp {
  const known = new Map<Use, RegExp>();
  const rows = lazily(() => readRows(table));
  return (use) => {
    const pattern = known.get(use) ?? new RegExp(makePattern(rows(), use), flags);
    known.set(use, pattern);
    return pattern;
  };
}

/**
 * Whether a text in small letters holds a phrase of a use, by the same rule and without a pattern: to compile one of hundreds of phrases
 * takes the first prompt of a worker longer than to store it.
 */
export function readPhraseTest(table: string): (use: string, text: string) => boolean {
  const rows = lazily(() => Map.groupBy(readRows(table), ({ use }) => use));
  const spelled = (phrase: string) => (phrase.includes("'") ? ['', "'", '’'].map((sign) => phrase.replaceAll("'", sign)) : phrase);
  return (use, text) => (rows().get(use) ?? []).some(({ words }) => words.flatMap(spelled).some((phrase) => holdsPhrase(text, phrase)));
}

function holdsPhrase(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    if (JOINED.test(phrase)) return true;
    const isWhole = !/[\p{L}\p{N}_]$/u.test(text.slice(Math.max(0, at - 2), at)) && !/^[\p{L}\p{N}_]/u.test(text.slice(at + phrase.length));
    if (isWhole) return true;
  }
  return false;
}

function makePattern(rows: Row[], use: string): string {
  const phrases = rows
    .filter((row) => row.use === use)
    .flatMap(({ words }) => words)
    .sort((one, other) => other.length - one.length);
  const spaced = phrases.filter((phrase) => !JOINED.test(phrase)).map(quotePattern);
  const joined = phrases.filter((phrase) => JOINED.test(phrase)).map(quotePattern);
  const whole = spaced.length > 0 ? [`(?<![\\p{L}\\p{N}_])(?:${spaced.join('|')})(?![\\p{L}\\p{N}_])`] : [];
  return phrases.length > 0 ? [...whole, ...joined].join('|') : NEVER;
}

/** Every word of the phrases of these uses, in small letters. Read when first asked for, too. */
export const readPhraseWords = (table: string, uses: string[]): (() => Set<string>) =>
  lazily(
    () =>
      new Set(
        readRows(table)
          .filter(({ use }) => uses.includes(use))
          .flatMap(({ words }) => words.flatMap((phrase) => phrase.toLowerCase().split(' '))),
      ),
  );

type Row = { use: string; words: string[] };

function readRows(table: string): Row[] {
  return table
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [head = '', ...rest] = line.split(' ');
      const words = rest.join(' ').split(',');
      return { use: head.split('.')[1] ?? '', words: words.map((word) => word.trim()) };
    });
}

const quotePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/'/g, "['’]?");
