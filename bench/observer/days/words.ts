// Does a text say what a truth is about? Words, not phrasings.
import type { Words } from './truth.ts';

export function mentions(text: string, words: Words): boolean {
  const plain = text.toLowerCase().replace(/\s+/g, ' ');
  return words.every((group) => group.split('|').some((word) => hasWord(plain, word.toLowerCase())));
}

/** From the beginning of a word; with a trailing '$' to its end as well. An underscore separates words, as in kv_compact. */
function hasWord(plain: string, word: string): boolean {
  const isWhole = word.endsWith('$');
  const stem = isWhole ? word.slice(0, -1) : word;
  for (let at = plain.indexOf(stem); at !== -1; at = plain.indexOf(stem, at + 1)) {
    const startsWord = !isLetter(stem[0]) || !isLetter(plain[at - 1]);
    const endsWord = !isWhole || !isLetter(plain[at + stem.length]);
    if (startsWord && endsWord) return true;
  }
  return false;
}

function isLetter(char: string | undefined): boolean {
  return char !== undefined && /[\p{L}\p{N}]/u.test(char);
}

const GIVEN_UP = new RegExp(
  [
    'ruled? out|rules out|dead[ -]end|gave up|given up|abandon|revert|rolled back|undid|undone|discard|reject|dropp?ed|no use|no good|wrong one',
    "(did|does|do|would|will|was|is|can)(n't| not) (work|help|enough|possible|an option|viable)|cannot work|won't work|not enough|not possible",
    'removed (it )?again|took (it )?(back|out)|taken (back|out)|is out again|backed out|instead of|rather than|tried|first attempt|\\bnot: ',
  ].join('|'),
  'i',
);

export function saysGivenUp(text: string): boolean {
  return GIVEN_UP.test(text.replaceAll('’', "'"));
}
