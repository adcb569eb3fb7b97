// Whether a text says what a policy says: every number of it, and nearly all of its words.
import { stemWord } from '../../src/search/query-words.ts';
import { isStopWord } from '../../src/search/stop-words.ts';

/** Words of whoever wrote the policy down, not of the policy. */
const META = new Set(['post', 'amendment']);
const ENOUGH = 0.75;
const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

export type Said = { isSaid: boolean; missingNumbers: string[]; missingWords: string[]; of: number };

/** A word counts by its stem, names and sets word by word (`block_fee`, `{HTTP,API}`); `seven` and `7` are the same. */
export function saysPolicy(text: string, policy: string): Said {
  const said = new Set(wordsOf(text).flat());
  const wanted = wordsOf(policy).filter(([plain]) => !META.has(plain));
  const numbers = [...new Set(wanted.map(([plain]) => plain).filter(isNumber))];
  const words = [...new Map(wanted.filter(([plain]) => !isNumber(plain) && !isStopWord(plain)).map(([plain, stem]) => [stem, plain]))];
  const missingNumbers = numbers.filter((number) => !said.has(number));
  const missingWords = words.filter(([stem]) => !said.has(stem)).map(([, plain]) => plain);
  const isSaid = missingNumbers.length === 0 && missingWords.length <= words.length * (1 - ENOUGH);
  return { isSaid, missingNumbers, missingWords, of: words.length };
}

const isNumber = (word: string) => /^\d+$/.test(word);

function wordsOf(text: string): [plain: string, stem: string][] {
  const words = text.toLowerCase().match(/[\p{L}]+|\d+/gu) ?? [];
  return words.map((word) => {
    const number = NUMBERS.indexOf(word);
    const plain = number === -1 ? word : String(number);
    return [plain, stemWord(plain)];
  });
}
