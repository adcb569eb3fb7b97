// Whether what was found is about the prompt at all: who tells a session something beside the point does more harm than silence.
import type { Found } from '../search/find.ts';
import type { FoundSession } from '../search/search-sessions.ts';

/** By itself it speaks to the prompt. */
const CONVINCING = 0.65;
/** With less it must stand out from all the rest; with still less it must have some of the prompt's words, too. */
const NEAR = 0.58;
const NEAR_BY_WORDS = 0.5;
const SOME_WORDS = 0.2;
const STANDS_OUT = 1.4;
/** Where words are all there is: so much of the prompt, in so many words. */
const COVERED = 0.14;
const WORDS = 3;
/** Half of the prompt's words count as much as a likeness of a quarter. */
const COVERAGE = 0.5;
/** Another session is told beside the best only if it is nearly as good. */
const BESIDE = 0.7;
const MOST = 2;

/** A look at the best of it, before anything is compared: most prompts are about something new. */
export const mayConvince = ({ scored, hasMeaning }: Found) =>
  scored.some(({ likeness, coverage }) =>
    hasMeaning ? (likeness ?? 0) + COVERAGE * coverage >= NEAR_BY_WORDS : coverage >= COVERED,
  );

/** What an older session decided was replaced in a newer one, or may be. */
export type Related = { older: number; newer: number };

/** Those worth telling, best first: none in doubt. `ranked` is best first. */
export function chooseSessions(found: Found, ranked: FoundSession[], replaced: Related[]): FoundSession[] {
  const [best] = ranked;
  if (!best) return [];
  const others = ranked.slice(1).filter((other) => !isRelated(other, best, replaced));
  if (!isConvincing(found, best, others)) return [];
  const isAsGood = (other: FoundSession) =>
    other.score >= best.score * BESIDE && evidenceOf(found, other) >= CONVINCING;
  return [best, ...others.filter(isAsGood)].slice(0, MOST);
}

function isConvincing(found: Found, best: FoundSession, others: FoundSession[]): boolean {
  const isAlone = others.every(({ score }) => best.score >= score * STANDS_OUT);
  if (!found.hasMeaning) return isAlone && isSpokenOf(found, best);
  const evidence = evidenceOf(found, best);
  if (!isAlone) return evidence >= CONVINCING;
  return evidence >= NEAR || (evidence >= NEAR_BY_WORDS && coverageOf(found, best) >= SOME_WORDS);
}

/** One replaces the other, or both were replaced by the same: they are one matter. */
function isRelated(one: FoundSession, other: FoundSession, replaced: Related[]): boolean {
  const newest = ({ sessionId }: FoundSession) => [
    sessionId,
    ...replaced.filter(({ older }) => older === sessionId).map(({ newer }) => newer),
  ];
  const among = newest(other);
  return newest(one).some((session) => among.includes(session));
}

/** Of its best memory: how near its meaning is, and how much of the prompt it says. */
function evidenceOf({ scored }: Found, { sessionId }: FoundSession): number {
  return scored
    .filter(({ candidate }) => candidate.sessionId === sessionId)
    .reduce((most, { likeness, coverage }) => Math.max(most, (likeness ?? 0) + COVERAGE * coverage), 0);
}

const coverageOf = ({ scored }: Found, { sessionId }: FoundSession) =>
  scored.reduce(
    (most, { candidate, coverage }) => (candidate.sessionId === sessionId ? Math.max(most, coverage) : most),
    0,
  );

function isSpokenOf({ scored }: Found, { sessionId }: FoundSession): boolean {
  return scored.some(
    ({ candidate, coverage, words }) =>
      candidate.sessionId === sessionId && coverage >= COVERED && wholeWords(words).length >= WORDS,
  );
}

/** Without the pieces of a name that is there itself. */
const wholeWords = (words: string[]) =>
  words.filter((word) => !words.some((other) => other !== word && other.toLowerCase().includes(word.toLowerCase())));
