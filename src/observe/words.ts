// Whether a text uses the words of a use, in any of the languages of the table.
import { readPhrases } from '../core/phrases.ts';
import table from './words.txt' with { type: 'text' };

export type Use =
  | 'refuse'
  | 'confirm'
  | 'rule'
  | 'once'
  | 'choose'
  | 'open'
  | 'offer'
  | 'look'
  | 'fail'
  | 'later'
  | 'deny'
  | 'label'
  | 'you'
  | 'will'
  | 'because'
  | 'dead';

const JOINED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const PATTERNS = readPhrases(table);

/** Anywhere in the text. */
export const uses = (text: string, use: Use): boolean => PATTERNS.get(use)?.test(text) ?? false;

/** How many different words of the use. */
export const countUses = (text: string, use: Use): number =>
  new Set([...text.matchAll(new RegExp(PATTERNS.get(use)?.source ?? '$^', 'giu'))].map(([word]) => word.toLowerCase()))
    .size;

/** In its first words. */
export function begins(text: string, use: Use): boolean {
  const match = PATTERNS.get(use)?.exec(text.trimStart());
  return match !== undefined && match !== null && match.index <= 1;
}

/** What stands right behind each word that says no; in Japanese, and where nothing does, what stands right before it. */
export function denied(text: string): string[] {
  const pattern = PATTERNS.get('deny');
  if (!pattern) return [];
  return [...text.matchAll(new RegExp(pattern.source, 'giu'))].map((match) => {
    const end = match.index + match[0].length;
    const behind = text.slice(end, end + REACH).split(/[,;:.!?。，；]/)[0] ?? '';
    if (KANA.test(match[0]) || behind.trim() === '')
      return text.slice(Math.max(0, match.index - JOINED_REACH), match.index);
    return JOINED.test(match[0]) ? behind.slice(0, JOINED_REACH) : behind;
  });
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Characters: two or three words, or as many signs. */
const REACH = 28;
const JOINED_REACH = 12;
