// The words of a memory as they are compared with those of another: what it is about, which one it names, and the values in it.
import { stemWord } from './query-words.ts';
import { isStopWord } from './stop-words.ts';

const LONGEST = 4000;

/** What a text is about: its telling words, without numbers, which are values, and without those that only say that something is new. */
export const stemsOf = (text: string) => new Set(listStems(text));

export const listStems = (text: string) =>
  (text.slice(0, LONGEST).match(/[\p{L}\p{N}]+/gu) ?? [])
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 1 && !/^\d/.test(word) && !isIdle(word))
    .map(stemWord);

const isIdle = (word: string) => (isStopWord(word) && !LANGUAGES.has(word)) || SAYS_NEW.has(word);
/** Idle in a question, but a rule for the one is not a rule for the other. */
const LANGUAGES = new Set(['python', 'python3', 'javascript']);
const SAYS_NEW = new Set(
  'amended amendment amends superseding supersedes now new newly changed changes decision decided rule policy agreed settled final finally use uses using used keep always never'.split(
    ' ',
  ),
);

/** Words that say which of several is meant: `for users`, `when the cart is empty`. */
const QUALIFIER =
  /\b(for|of|in|on|per|under|from|when|if|where|while|during|until|unless|at)\s+(?:(?:the|a|an|our|every|each|all|both)\s+)?([\p{L}\p{N}_-]+)/giu;

export const qualifiersOf = (text: string) => listQualifiers(text).map(({ stem }) => stem);

/** With the word that leads to each. */
export const listQualifiers = (text: string) =>
  [...text.matchAll(QUALIFIER)].flatMap(([, lead = '', word = '']) =>
    listStems(word).map((stem) => ({ lead: lead.toLowerCase(), stem })),
  );

/** A word as it was written; a value is a number that can change and leave the rule the same rule. */
type Token = { word: string; kind: 'word' | 'value' | 'name' };

/** Every word in its place, with its values apart: two titles with one frame say the same, of the same thing. */
export function readFrame(title: string): { frame: string[]; values: string[] } {
  const tokens = readTokens(title).filter(({ word, kind }) => kind !== 'word' || !ADDS_NOTHING.has(word));
  return {
    frame: tokens.map(({ word, kind }) => (kind === 'value' ? '0' : stemWord(word))),
    values: tokens.flatMap(({ word, kind }) => (kind === 'value' ? [word] : [])),
  };
}
const ADDS_NOTHING = new Set(
  ': the a an our now new newly currently decision decided rule policy agreed settled final finally'.split(' '),
);

/** What tells one of several from the others: `eu-1`, `shard A`, `C++`, `level 3`. */
export const namesOf = (text: string) =>
  new Set(readTokens(text).flatMap(({ word, kind }) => (kind === 'name' ? [word] : [])));

const IDLE_SIGN = /^[^\p{L}\p{N}=:≤≥<>%]+$/u;

function readTokens(text: string): Token[] {
  const words = text
    .slice(0, LONGEST)
    .replaceAll('\n', ' : ')
    .replace(/[=≤≥<>]|:(?=\s|$)/g, ' $& ')
    .split(/[\s()[\]{}"“”„«»`|]+/u)
    .flatMap((word) => [word.replace(/^['‘’*~]+|[.,;!?'‘’*]+$/gu, ''), ...(/[.!?]$/.test(word) ? [':'] : [])])
    .filter((word) => word !== '' && !IDLE_SIGN.test(word));
  return words.map((word, at) => ({
    word: word.toLowerCase(),
    kind: kindOf(word, { before: words[at - 1]?.toLowerCase(), after: words[at + 1]?.toLowerCase() }),
  }));
}

const NUMBER = /^[$€£]?\d[\d.,_]*(\p{L}+|%)?$/u;
const MIXED = /^(?:#|\p{L})[\p{L}\p{N}.-]*\d[\p{L}\p{N}.-]*$/u;
const LETTER = /^\p{Script=Latin}(?:\+\+|#)?$/u;

type Around = { before: string | undefined; after: string | undefined };

function kindOf(word: string, { before, after }: Around): Token['kind'] {
  const number = NUMBER.exec(word);
  if (number) return isValue(number[1], { before, after }) ? 'value' : 'name';
  if (MIXED.test(word)) return 'name';
  // `A` begins a sentence, which is told by a colon; in `shard A` it does not.
  const isArticle = word === 'a' || word === 'I' || (word === 'A' && (before === undefined || before === ':'));
  return LETTER.test(word) && !isArticle ? 'name' : 'word';
}

/** A ticket, a status or a level is a name: a value comes after a word that gives one, or is measured after a verb or a preposition. */
function isValue(glued: string | undefined, { before = '', after = '' }: Around): boolean {
  if (glued !== undefined && !UNIT.test(glued)) return false;
  if (GIVES_VALUE.test(before)) return true;
  return (glued !== undefined || UNIT.test(after)) && (MEASURES.test(before) || /(?:[^saiu]s|ed)$/.test(before));
}
const GIVES_VALUE =
  /^(?:is|are|be|to|than|after|every|within|by|least|most|exactly|under|over|only|keeps?|stays?|holds?|[=:≤≥<>])$/;
const MEASURES =
  /^(?:for|in|at|of|with|and|or|a|an|the|first|last|has|have|gets?|takes?|took|lasts?|needs?|allows?|waits?|runs?|costs?|up|about|around|roughly|limit|timeout|ttl|maximum|minimum|max|min)$/;
const UNIT =
  /^(?:%|ms|s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?|months?|[kmgt]i?b|bytes?|tokens?|items?|rows?|times|attempts?|retries|tries|characters?|lines?|workers?|threads?|requests?)$/i;
