// Whether a newer text names another value for what an older one says: another number of a unit, another day, another command of a program.
import { splitSentences } from '../core/text.ts';
import { contentWords } from '../memory/content-words.ts';
import { isStopWord } from '../search/stop-words.ts';

/** Both answer the same question, of which these are the words. */
export function namesOtherValue(newer: string, older: string, asked: string): boolean {
  const [now, then] = [readClaims(newer), readClaims(older)];
  const otherwise = then.flatMap((old) => now.filter(({ values }) => isOtherwise(values, old.values)).map((one) => ({ one, old })));
  if (otherwise.length === 0) return false;
  const question = wordsOf(asked);
  const common = question.intersection(wordsOf(newer)).intersection(wordsOf(older)).size;
  return otherwise.some(({ one, old }) => {
    const words = wordsOf(one.sentence).intersection(wordsOf(old.sentence));
    return !words.isDisjointFrom(question) && Math.max(words.size, common) >= TELLING;
  });
}

/** Where the two texts have that many words of the question, one of them in both sentences is enough. */
const TELLING = 2;

/** `unit`: what it is a value of. */
type Value = { unit: string; value: string };

/** Of a changed line what it became; what was run claims nothing. */
const readClaims = (text: string): { sentence: string; values: Value[] }[] =>
  text
    .replace(/[^…\n]*→/g, ' ')
    .split(/\n| … /)
    .flatMap(splitSentences)
    .flatMap((sentence) => {
      const values = sentence.startsWith('$ ') ? [] : valuesOf(sentence);
      return values.length > 0 ? { sentence, values } : [];
    });

const wordsOf = (text: string) => new Set([...contentWords(text)].filter((word) => !isStopWord(word) && !/^\d/.test(word)));

const isOtherwise = (now: Value[], then: Value[]): boolean =>
  then.some(({ unit, value }) => {
    const known = now.filter((one) => one.unit === unit);
    return known.length > 0 && known.every((one) => one.value !== value);
  });

/** A script without blanks counts in one sign. A number in a name is no value. */
const NUMBER = /(?<![\p{L}\p{N}._/-])(\d[\d.,:-]*\d|\d)\s?([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}%]{0,12})/gu;
/** A day or a version: known by its shape, whatever stands behind it. */
const PARTED = /^\d+(?:[.:-]\d+){2,}$/;
const COMMAND = /`([\p{L}][\w.-]*) ([\p{L}][\w:-]*)[^`]*`/gu;

function valuesOf(sentence: string): Value[] {
  const numbers = [...sentence.matchAll(NUMBER)].flatMap(([, value = '', behind = '']) => {
    const unit = PARTED.test(value) ? value.replace(/\d+/g, '0') : behind.toLowerCase().replace(/s$/, '');
    return unit === '' || isStopWord(unit) ? [] : { unit, value };
  });
  const commands = [...sentence.matchAll(COMMAND)].map(([, program = '', value = '']) => ({ unit: `\`${program}`, value }));
  return [...numbers, ...commands];
}
