// The words that were asked for, marked in a text.
import { stemmer } from 'stemmer';

/** `paint` marks a match; `rest` draws what lies between. */
export type Highlight = (text: string, rest?: (text: string) => string) => string;

const WORD = /[\p{L}\p{N}_]+/gu;
/** These scripts put no space between words: what was asked for is found inside. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** In any form of a word: who asks for `dates` sees `date`. */
export function createHighlighter(query: string, paint: (text: string) => string): Highlight {
  const asked = query.match(WORD) ?? [];
  const stems = new Set(asked.filter((word) => !UNSPACED.test(word)).map(stemOf));
  const parts = asked.filter((word) => UNSPACED.test(word));
  const within = parts.length > 0 ? new RegExp(parts.map((part) => `(${RegExp.escape(part)})`).join('|'), 'giu') : null;
  return (text, rest = (between) => between) => {
    let [drawn, at] = ['', 0];
    const mark = (found: string, index: number) => {
      drawn += rest(text.slice(at, index)) + paint(found);
      at = index + found.length;
    };
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (stems.has(stemOf(word))) mark(word, index);
      else for (const part of within ? word.matchAll(within) : []) mark(part[0], index + part.index);
    }
    return drawn + rest(text.slice(at));
  };
}

const stemOf = (word: string) => stemmer(word.toLowerCase());
