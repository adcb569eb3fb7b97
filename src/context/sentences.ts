// What a memory tells, sentence by sentence, and how much of that is new: words that were told before tell nothing.
import { estimateTokens } from '../core/text.ts';
import type { Observation } from '../memory/observations.ts';
import { isStopWord } from '../search/stop-words.ts';

/** A text that can be told: what it costs, and the words that it tells. */
export type Part = { tokens: number; words: readonly string[] };

/** Of a sentence so much is told. */
export const LONGEST_SENTENCE = 240;

type Said = Pick<Observation, 'title' | 'subtitle' | 'narrative' | 'facts'>;

/** What a memory says beside its title, in its order: its first facts, unless more are asked for. */
export const sentencesOf = ({ title, subtitle, narrative, facts }: Said, mostFacts = MOST_FACTS): string[] =>
  [narrative ?? subtitle ?? '', ...facts.slice(0, mostFacts)]
    .map((text) => afterTitle(text.trim(), title ?? ''))
    .filter((text) => text !== '' && !FILE_ALONE.test(text));

/** Of the sentence that a title was cut off from, what the title does not show. */
function afterTitle(text: string, title: string): string {
  const shown = title.endsWith('…') ? title.slice(0, -1).toLowerCase() : '';
  return shown !== '' && text.toLowerCase().startsWith(shown) ? `…${text.slice(shown.length)}` : text;
}

/** The name of a file says nothing of it. */
const FILE_ALONE = /^[\w@./-]+\.?$/;

const MOST_FACTS = 6;
const ALL_FACTS = 20;
/** In a note, a sentence with fewer words that are new was told. */
export const FEWEST_WORDS = 2;

/** Those that tell most for their length, in their order, with at most `room` characters. `said`: what is told before it. */
export function pickSentences(observation: Said, room: number, said: string[] = []): string[] {
  const known = new Set([observation.title ?? '', ...said].flatMap(wordsOf));
  const all = sentencesOf(observation, ALL_FACTS).map((text) => ({
    text,
    length: Math.min(text.length, LONGEST_SENTENCE),
    words: wordsOf(text),
  }));
  const densityOf = (one: (typeof all)[number]) => countNews(one.words, known) / one.length;
  const picked = new Set<(typeof all)[number]>();
  for (let free = room; ; ) {
    const fitting = all.filter((one) => !picked.has(one) && one.length <= free && countNews(one.words, known) >= FEWEST_WORDS);
    const [best] = fitting.sort((one, other) => densityOf(other) - densityOf(one));
    if (!best) return all.filter((one) => picked.has(one)).map(({ text }) => text);
    picked.add(best);
    free -= best.length + 1;
    for (const word of best.words) known.add(word);
  }
}

export type ReadPart = (text: string, max: number) => Part;

/** Each text once: a page is chosen several times, until it fits. */
export function createPartReader(): ReadPart {
  const known = new Map<string, Part>();
  return (text, max) => {
    const before = known.get(text);
    if (before) return before;
    const cut = text.slice(0, max);
    const part = { tokens: estimateTokens(cut) + 1, words: wordsOf(cut) };
    known.set(text, part);
    return part;
  };
}

/** Of a commit: nobody asks for it. */
const HASH = /^(?=\D*\d)[0-9a-f]{7,40}$/;
/** Where words are not set apart, so many characters are about one. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const OF_A_WORD = /.{1,2}/gu;

/** By their beginnings: to stem the words of each sentence would take as long as all the rest of a page. */
const BEGINNING = 6;

export function wordsOf(text: string): string[] {
  const words = (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !isStopWord(word) && !HASH.test(word));
  return [...new Set(words.flatMap((word) => (UNSPACED.test(word) ? (word.match(OF_A_WORD) ?? []) : [word.slice(0, BEGINNING)])))];
}

/** How many of them nobody knows yet. */
export const countNews = (words: readonly string[], known: ReadonlySet<string>): number =>
  words.reduce((sum, word) => sum + Number(!known.has(word)), 0);
