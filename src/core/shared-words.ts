// Whether two texts say the same, by the words they share.
import { COMMON_WORDS } from './common-words.ts';

/** So much of the one is in the other. */
const SHARE = 0.75;
const LEAST_WORDS = 3;

/** Most of the one stands in the other, or the other is a part of it. */
export function shareMost(one: Set<string>, other: Set<string>): boolean {
  const shared = [...one].filter((word) => other.has(word)).length;
  const least = Math.min(one.size, other.size);
  return least >= LEAST_WORDS && shared >= SHARE * least;
}

/** The words of a text that say what it is about. */
export const contentWords = (text: string) =>
  new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []).filter(
      (word) => !COMMON_WORDS.has(word) && !SHORT.has(word),
    ),
  );

/** Of three letters; the longer ones are in COMMON_WORDS. */
const SHORT = new Set(
  'the and for are was has had not but you all any can did get got how its let may new now our out own per put run set she too two use via way who why yes yet'.split(
    ' ',
  ),
);
