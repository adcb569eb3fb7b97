// Compares a new observation with those it may stand in the place of, or that may stand in its place.
import type { Database } from 'bun:sqlite';
import { type Comparable, listSimilar } from '../store/memories/compared.ts';
import { type KnownWords, surprise } from './known-words.ts';
import { readQuery } from './query-words.ts';
import { isStopWord } from './stop-words.ts';
import { standsFor } from './supersede.ts';
import { readTopics } from './topics.ts';

export type Superseded = { older: number; newer: number };

export function findSuperseded(db: Database, known: KnownWords, observation: Comparable): Superseded[] {
  const similar = listSimilar(db, observation, chooseWords(known, observation.text));
  const others = similar.filter(({ text }) => sharesWords(text, observation.text));
  if (others.length === 0) return [];
  const texts = new Map([observation, ...others].map(({ id, text }) => [id, text]));
  const topics = readTopics(texts, settled(known));
  const state = (one: Comparable) => {
    const topic = topics.get(one.id);
    return topic ? { ...one, topic } : null;
  };
  const own = state(observation);
  const newestFirst = others.sort((one, other) => other.at - one.at || other.id - one.id);
  return newestFirst.flatMap((one) => {
    const other = state(one);
    if (!own || !other) return [];
    const [older, newer] = isNewer(own, other) ? [other, own] : [own, other];
    return standsFor(older, newer) ? [{ older: older.id, newer: newer.id }] : [];
  });
}

/** A first look, before anybody asks how rare the words are: most that share a file or a word share nothing else. */
function sharesWords(one: string, other: string): boolean {
  const [small, large] = [wordsOf(one), wordsOf(other)].sort((a, b) => a.size - b.size);
  if (!small || !large) return false;
  const shared = [...small].filter((word) => large.has(word)).length;
  return shared >= small.size * LEAST_SHARED;
}
const LEAST_SHARED = 0.15;

const wordsOf = (text: string) =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).filter((word) => !isStopWord(word)));

/** What was imported later may be about an earlier time. */
const isNewer = (one: Comparable, other: Comparable) => one.at > other.at || (one.at === other.at && one.id > other.id);

/** Where few things are remembered, every word is in many of them: they weigh as in a memory of some size. */
export function settled(known: KnownWords): KnownWords {
  const documents = () => Math.max(known.documents(), SETTLED);
  return { ...known, documents, weight: (stem) => surprise(documents(), known.frequency(stem)) };
}
const SETTLED = 500;

/** The words that tell most, for the index; null when there are none. What only this one says finds nothing, what many say too much. */
function chooseWords(known: KnownWords, text: string): string | null {
  const head = readQuery(text.slice(0, HEAD_LENGTH)).slice(0, LOOKED_UP);
  const terms = head.flatMap((term) => {
    const frequency = term.stem === null ? 0 : known.frequency(term.stem);
    return frequency > 1 && frequency <= MOST_FREQUENT ? [{ ...term, frequency }] : [];
  });
  const telling = terms.sort((one, other) => one.frequency - other.frequency).slice(0, MOST_WORDS);
  if (telling.length === 0) return null;
  return `{title subtitle narrative facts concepts} : (${telling.map(({ expression }) => expression).join(' OR ')})`;
}
/** What a memory is about stands at its beginning. */
const HEAD_LENGTH = 500;
const LOOKED_UP = 20;
const MOST_WORDS = 8;
const MOST_FREQUENT = 2000;
