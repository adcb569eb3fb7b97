// Whether two texts say the same or are about the same thing, by the words they share and how rare these are; and the order that follows.
import { wordTable } from '../core/text.ts';
import { lazily } from '../secrets/span.ts';
import type { KnownWords } from './keyword.ts';
import { keepSome, stemWord } from './query-words.ts';
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

/** The words of a text that tell something, in their stems. Kept: a page of a starting session asks for the same ones hundreds of times. */
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

const readStems = (text: string): Set<string> =>
  new Set(
    (text.slice(0, 2000).match(WORD) ?? [])
      .map((word) => word.toLowerCase())
      .filter((word) => !isStopWord(word))
      .map((word) => stemWord(IRREGULAR[word] ?? word)),
  );

const WORD = /[\p{L}\p{N}]+/gu;

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

/** The words of a text, weighed; of unit length, so that a sum of products is a cosine. */
type Profile = Map<string, number>;

const LONGEST = 12_000;

/** `profile` is made when it is first needed: most texts share too little with any other, and to weigh words is to look them up. */
export type Topic = { counts: Map<string, number>; profile: () => Profile; changesMind: boolean };

/** Of texts that are to be compared with each other. What is in one of them alone is rare enough to need no asking. */
export function readTopics<Id>(texts: Map<Id, string>, known: KnownWords): Map<Id, Topic> {
  const counted = [...texts].map(([id, text]) => ({ id, text, counts: countWords(text) }));
  const among = new Map<string, number>();
  for (const { counts } of counted) for (const stem of counts.keys()) among.set(stem, (among.get(stem) ?? 0) + 1);
  const isShared = (stem: string) => (among.get(stem) ?? 0) > 1;
  const rare = Math.log(1 + known.documents() / 2);
  const weigh = (stem: string) => (isShared(stem) ? known.weight(stem) : rare);
  const profileOf = (counts: Map<string, number>) => {
    known.learn([...counts.keys()].filter(isShared));
    return profileWords(counts, weigh);
  };
  return new Map(
    counted.map(({ id, text, counts }) => [
      id,
      { counts, profile: lazily(() => profileOf(counts)), changesMind: CHANGE_OF_MIND.test(text) },
    ]),
  );
}

function countWords(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of text.slice(0, LONGEST).match(WORD) ?? []) {
    const stem = tellingStem(word);
    if (stem !== null) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  }
  return counts;
}

/** Null for a word that tells nothing. */
const tellingStem = keepSome((word: string) => {
  const plain = word.toLowerCase();
  return plain.length < 2 || isStopWord(plain) ? null : stemWord(plain);
});

function profileWords(counts: Map<string, number>, weigh: (stem: string) => number): Profile {
  const profile: Profile = new Map();
  let squares = 0;
  for (const [stem, count] of counts) {
    const weight = (1 + Math.log(count)) * weigh(stem);
    profile.set(stem, weight);
    squares += weight ** 2;
  }
  const length = Math.sqrt(squares) || 1;
  for (const [stem, weight] of profile) profile.set(stem, weight / length);
  return profile;
}

/** They say the same, word for word or nearly so. */
export const isRepeat = (one: Topic, other: Topic) => isAsAlike(one, other, REPEAT);
const REPEAT = 0.93;

/** Whoever changes a decision says so. */
const CHANGE_OF_MIND = new RegExp(
  String.raw`\b(amend\w*|supersed\w*|revis\w+|revert\w*|overrul\w*|overturn\w*|no longer|instead of|from now on` +
    String.raw`|replac\w+|chang\w+ (?:our|my|their) minds?|reconsider\w*|retract\w*)\b`,
  'i',
);

/** Decisions and their amendments are 0.35 to 0.52 alike, talk of one topic 0.34 at most (docs/retrieval.md). */
const SAME_TOPIC = 0.4;
const SAME_TOPIC_CHANGED = 0.28;

/** Two conversations are about the same, the more so if the newer says that something has changed. For their order alone. */
export function isSameSubject(newer: Topic | undefined, older: Topic | undefined): boolean {
  if (!newer || !older) return false;
  return isAsAlike(newer, older, newer.changesMind ? SAME_TOPIC_CHANGED : SAME_TOPIC);
}

/** What search knows of a hit. */
type Stated = { type: string; sessionId: number | null; topic: Topic };

/**
 * The same for a few sentences: facts of one kind share their words, so it takes more than that. A deed is no newer word on the
 * decision that it carries out; and within a session one leads to the next, unless something changes.
 */
export function isNewerWord(newer: Stated, older: Stated): boolean {
  if (older.type === 'decision' && newer.type !== 'decision') return false;
  if (older.sessionId !== null && older.sessionId === newer.sessionId && !newer.topic.changesMind) return false;
  if (newer.topic.changesMind) return isAsAlike(newer.topic, older.topic, SAME_WORD_CHANGED);
  const least = Math.min(newer.topic.counts.size, older.topic.counts.size);
  return least >= WORDS_OF_A_TEXT && isAsAlike(newer.topic, older.topic, SAME_WORD);
}
const SAME_WORD = 0.6;
const SAME_WORD_CHANGED = 0.3;
const WORDS_OF_A_TEXT = 12;

/** By their cosine. Of two that share too few words for that no word is weighed. */
function isAsAlike(one: Topic, other: Topic, least: number): boolean {
  const [small, large] = one.counts.size < other.counts.size ? [one, other] : [other, one];
  let common = 0;
  for (const stem of small.counts.keys()) if (large.counts.has(stem)) common++;
  if (common < least * LEAST_SHARED * Math.sqrt(small.counts.size * large.counts.size)) return false;
  const weights = large.profile();
  let sum = 0;
  for (const [stem, weight] of small.profile()) sum += weight * (weights.get(stem) ?? 0);
  return sum >= least;
}
/** Of the cosine without weights: what is shared is commoner than the rest and weighs less, so weights hardly ever double it. */
const LEAST_SHARED = 0.4;

/** Puts the newer of two items of one topic in front of the older, where the older stood. An item moves only up. */
export function newerFirst<T>(items: T[], timeOf: (item: T) => number, isSameTopic: (older: T, newer: T) => boolean): T[] {
  const ordered: T[] = [];
  for (const item of items) {
    const place = ordered.findIndex((above) => timeOf(above) < timeOf(item) && isSameTopic(above, item));
    ordered.splice(place === -1 ? ordered.length : place, 0, item);
  }
  return ordered;
}

/** Each item behind the one that replaces it, where that is among them. */
export function behindNewer<T>(items: T[], newerOf: (item: T) => T | undefined): T[] {
  const ordered = new Set<T>();
  const add = (item: T, above: T[]) => {
    const newer = newerOf(item);
    if (newer && !ordered.has(newer) && !above.includes(newer)) add(newer, [...above, item]);
    ordered.add(item);
  };
  for (const item of items) add(item, [item]);
  return [...ordered];
}
