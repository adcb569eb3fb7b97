// Whether two short texts say the same, by the words they share.
import { wordTable } from '../core/text.ts';
import { stemWord } from './query-words.ts';
import { isStopWord } from './stop-words.ts';

/** Of several that say the same the last one stays. */
export function foldRepeats<T extends { text: string }>(items: T[], isSame: IsSame = isAlike): T[] {
  const kept: { item: T; words: Set<string> }[] = [];
  for (const item of items.toReversed()) {
    const words = stemsOf(item.text);
    if (!kept.some((other) => isSame(words, other.words))) kept.push({ item, words });
  }
  return kept.map(({ item }) => item).reverse();
}

/** Of those that differ in a number alone the first one stays: two lines of "retry 3 times" are one too many. */
export function foldNumbers<T extends { text: string }>(items: T[]): T[] {
  const seen = new Set<string>();
  return items.filter(({ text }) => {
    const key = text.toLowerCase().replace(/(?<![\p{L}\p{N}_])\p{N}[\p{N}.,:]*(?![\p{L}\p{N}_])/gu, '0');
    return !seen.has(key) && seen.add(key);
  });
}

type IsSame = (one: Set<string>, other: Set<string>) => boolean;

/** Where one word may make the difference: of the users, of the sessions. */
export const isNearlySame: IsSame = (one, other) => {
  const common = shared(one, other);
  return common > 0 && common / (one.size + other.size - common) >= 0.85;
};

/** Whether a text has most of the words of another in it. */
export const repeats = (text: string, said: string) => hasMost(stemsOf(text), stemsOf(said));

/** The same of words that are known already. */
export const hasMost = (words: Set<string>, wanted: Set<string>) => wanted.size >= 2 && shared(wanted, words) / wanted.size >= 0.7;

function isAlike(one: Set<string>, other: Set<string>): boolean {
  const common = shared(one, other);
  const [least, all] = [Math.min(one.size, other.size), one.size + other.size - common];
  if (least === 0) return false;
  return common / all >= 0.65 || (least >= 3 && common === least);
}

const shared = (one: Set<string>, other: Set<string>) => [...one].filter((word) => other.has(word)).length;

/** The words of a text that tell something, in their stems. The same titles come up again and again. */
export function stemsOf(text: string): Set<string> {
  const before = known.get(text);
  if (before) return before;
  const stems = readStems(text);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, stems);
  return stems;
}

const known = new Map<string, Set<string>>();
const MOST_KNOWN = 2000;

const readStems = (text: string) =>
  new Set(
    (text.slice(0, 2000).match(/[\p{L}\p{N}]+/gu) ?? [])
      .map((word) => word.toLowerCase())
      .filter((word) => !isStopWord(word))
      .map((word) => stemWord(IRREGULAR[word] ?? word)),
  );

/** What was to be written was wrote: a step and its deed differ in time. */
const IRREGULAR = wordTable<string>({
  wrote: 'write',
  written: 'write',
  rewrote: 'rewrite',
  built: 'build',
  made: 'make',
  ran: 'run',
  sent: 'send',
  found: 'find',
  kept: 'keep',
  took: 'take',
  gave: 'give',
  chose: 'choose',
  began: 'begin',
});
