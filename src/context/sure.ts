// Whether something was found that a prompt is about: who gives a session something beside the point does more harm than silence.
import { formatRef } from '../core/memory.ts';
import type { SearchHit } from '../core/shapes/search.ts';
import { hasCjk } from '../core/words.ts';
import type { Found } from '../search/find.ts';
import type { KnownWords } from '../search/keyword.ts';
import { readQuery } from '../search/query-words.ts';
import { isGeneral, isIdle, sharesWord } from './question.ts';

/** docs/context.md: how these were found. Half of the prompt's words count as much as a similarity of a quarter above the usual. */
const NEAR = 0.4;
const COVERAGE = 0.5;
const FEWEST_WORDS = 2;
/** A question about the world shares words with any work. */
const FEWEST_OF_GENERAL = 4;
/** Where the meaning tells nothing: so many of its words, and so much of it. */
const WORDS_ALONE = 3;
const COVERED = 0.3;
/** Of what the prompt tells, by how rare its words are here: what it has beside may be about something else. */
const LEAST_TOLD = 0.1;

/** Null when nothing is sure. */
export type Judge = (text: string, found: Found) => Sure | null;
type Sure = (hit: Pick<SearchHit, 'id' | 'sameTurn' | 'alike' | 'title' | 'snippet'>) => boolean;

/** Stricter than the gate of search: nobody asked. Some of the words must stand in what would be given. */
export const judgeSure: Judge = (prompt, { scored }) => {
  const asked = listAsked(prompt);
  const all = asked.reduce((sum, word) => sum + worthOf(word), 0) || 1;
  const fewest = isGeneral(prompt) ? FEWEST_OF_GENERAL : FEWEST_WORDS;
  const usual = median(scored.map(({ likeness }) => likeness ?? 0));
  const isNear = ({ words, likeness, coverage }: Found['scored'][number]) => {
    if (coverage < LEAST_TOLD) return false;
    const own = asked.filter((word) => words.includes(word));
    const share = Math.min(1, own.length / all);
    const above = (likeness ?? usual) - usual;
    return (own.length >= fewest && above + COVERAGE * share >= NEAR) || (own.length >= Math.max(fewest, WORDS_ALONE) && share >= COVERED);
  };
  const near = new Set(scored.filter(isNear).map(({ candidate }) => formatRef({ kind: candidate.kind, id: candidate.ref })));
  if (near.size === 0) return null;
  const speaksOf = sharesWord(asked.join(' '));
  return ({ id, sameTurn, alike, title, snippet }) =>
    [id, ...sameTurn, ...alike].some((one) => near.has(one)) && speaksOf(`${title} ${snippet ?? ''}`);
};

/** An error comes back nearly word for word. */
const SAME_ERROR = 0.7;
const FEWEST_OF_ERROR = 3;

export const judgeSameError: Judge = (error, { scored }) => {
  const asked = listWords(error);
  const isSame = ({ words }: Found['scored'][number]) => {
    const own = asked.filter((word) => words.includes(word));
    return own.length >= FEWEST_OF_ERROR && own.length >= SAME_ERROR * asked.length;
  };
  const same = new Set(scored.filter(isSame).map(({ candidate }) => formatRef({ kind: candidate.kind, id: candidate.ref })));
  if (same.size === 0) return null;
  return ({ id, sameTurn, alike }) => [id, ...sameTurn, ...alike].some((one) => same.has(one));
};

/** Before it is looked up: most errors are new, and have words that nobody ever saw. */
export function maySameErrorBeKnown(error: string, known: KnownWords): boolean {
  known.renew();
  const stems = readQuery(error).flatMap(({ stem }) => stem ?? []);
  const seen = stems.filter((stem) => known.frequency(stem) > 0);
  return seen.length >= FEWEST_OF_ERROR && seen.length >= SAME_ERROR * stems.length;
}

const listWords = (text: string) => readQuery(text).flatMap(({ stem, text: word }) => (stem === null ? [] : [word]));

/** The words that tell something, as search knows them; without the pieces of a name that is there itself. */
function listAsked(prompt: string): string[] {
  const words = listWords(prompt).filter((word) => !isIdle(word));
  const isPiece = (word: string) =>
    !hasCjk(word) && words.some((other) => other !== word && other.toLowerCase().includes(word.toLowerCase()));
  return words.filter((word) => !isPiece(word));
}

/** Half of all pairs of characters lie across two words. */
const worthOf = (word: string) => (hasCjk(word) ? 0.5 : 1);

/** What a question in this language has in common with anything. */
function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
