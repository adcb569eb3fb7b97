// A language for made-up memories: 200,000 words, frequent and rare as in real text, and topics that a session keeps to.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom } from './synthetic-vectors.ts';

export type Random = () => number;

export type Language = {
  /** So many words in sentences; some of them the topic's. */
  text: (random: Random, topic: number[], count: number) => string;
  topic: (session: number) => number[];
  path: (random: Random, topic: number[]) => string;
  /** 3 to 8 words: rare ones of a topic, some in between, a frequent one. */
  query: (random: Random, topic: number[]) => string;
};

const WORDS = 200_000;
const TOPIC_WORDS = 30;
const TOPIC_SHARE = 0.3;
const SENTENCE = 12;
/** p(rank) ~ 1 / (rank + SHIFT): the first word is every thirtieth, the hundredth every thousandth. */
const SHIFT = 2;
/** Ranks from which a word is in between, or rare: in about one of 25, or of 500 memories. */
const MIDDLE = 200;
const RARE = 5000;

/** `assets`: dist/embed, whose vocabulary has real English words, the frequent ones first. */
export function createLanguage(assets: string): Language {
  const words = makeWords(readFileSync(join(assets, 'vocabulary.txt'), 'utf8'));
  const wordAt = (rank: number) => words[rank] ?? '';
  const pick = (random: Random, from: number[]) => from[Math.floor(random() * from.length)] ?? 0;
  const draw = (random: Random, topic: number[]) => wordAt(random() < TOPIC_SHARE ? pick(random, topic) : drawRank(random, 0, WORDS));

  return {
    topic(session) {
      const random = createRandom(session + 1);
      return Array.from({ length: TOPIC_WORDS }, () => drawRank(random, MIDDLE, WORDS));
    },
    text: (random, topic, count) => {
      const parts = Array.from({ length: count }, (_, at) => {
        const word = draw(random, topic);
        return at % SENTENCE === SENTENCE - 1 ? `${word}.` : word;
      });
      return parts.join(' ');
    },
    path: (random, topic) =>
      `src/${wordAt(pick(random, topic))}/${wordAt(drawRank(random, 0, WORDS))}-${wordAt(drawRank(random, 0, RARE))}.ts`,
    query(random, topic) {
      const rare = topic.filter((rank) => rank >= RARE);
      const middle = topic.filter((rank) => rank < RARE);
      const chosen = [pick(random, rare), pick(random, middle), drawRank(random, 20, MIDDLE)];
      const more = Math.floor(random() * 6);
      for (let i = 0; i < more; i++) {
        chosen.push(random() < 0.4 ? pick(random, topic) : drawRank(random, i % 2 ? 0 : MIDDLE, RARE));
      }
      return chosen.map(wordAt).join(' ');
    },
  };
}

function drawRank(random: Random, from: number, to: number): number {
  const [low, high] = [from + SHIFT, to + SHIFT];
  return Math.min(to - 1, Math.floor(low * (high / low) ** random() - SHIFT));
}

/** English words, then what code is full of: identifiers of two words, and words that nobody else has. */
function makeWords(vocabulary: string): string[] {
  const english = vocabulary.split('\n').filter((piece) => /^[a-z]{2,}$/.test(piece));
  const random = createRandom(7);
  const any = () => english[Math.floor(random() * english.length)] ?? '';
  const words = [...english];
  while (words.length < WORDS) {
    const kind = random();
    if (kind < 0.45) words.push(`${any()}${capitalise(any())}`);
    else if (kind < 0.55) words.push(`${any()}_${any()}`);
    else words.push(inventWord(random));
  }
  return words;
}

const capitalise = (word: string) => `${word[0]?.toUpperCase()}${word.slice(1)}`;

const ONSETS = [
  'b',
  'br',
  'ch',
  'd',
  'dr',
  'f',
  'fl',
  'g',
  'gr',
  'h',
  'k',
  'kl',
  'l',
  'm',
  'n',
  'p',
  'pr',
  'r',
  's',
  'st',
  't',
  'tr',
  'v',
  'w',
  'z',
];
const VOWELS = ['a', 'e', 'i', 'o', 'u', 'ai', 'ea', 'oo'];

function inventWord(random: Random): string {
  const syllable = () => `${ONSETS[Math.floor(random() * ONSETS.length)]}${VOWELS[Math.floor(random() * VOWELS.length)]}`;
  return Array.from({ length: 2 + Math.floor(random() * 3) }, syllable).join('');
}
