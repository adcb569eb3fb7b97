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

/** Those worth telling, best first: none in doubt. Sessions that were superseded are not among them. */
export function chooseSessions(found: Found, ranked: FoundSession[], most: number): FoundSession[] {
  const best = ranked.reduce<FoundSession | null>((top, one) => (top && top.score >= one.score ? top : one), null);
  if (!best || !isConvincing(found, best, ranked)) return [];
  const isAsGood = (session: FoundSession) =>
    session.score >= best.score * BESIDE && evidenceOf(found, session) >= CONVINCING;
  const first = ranked.find((session) => session === best || isRelated(session, best)) ?? best;
  return [
    first,
    ...ranked.filter((session) => session !== first && !isRelated(session, best) && isAsGood(session)),
  ].slice(0, most);
}

function isConvincing(found: Found, best: FoundSession, ranked: FoundSession[]): boolean {
  const next = ranked.filter((session) => session !== best && !isRelated(session, best));
  const isAlone = next.every(({ score }) => best.score >= score * STANDS_OUT);
  if (!found.hasMeaning) return isAlone && isSpokenOf(found, best);
  const evidence = evidenceOf(found, best);
  if (!isAlone) return evidence >= CONVINCING;
  return evidence >= NEAR || (evidence >= NEAR_BY_WORDS && coverageOf(found, best) >= SOME_WORDS);
}

/** One stands in the place of the other, or both were superseded by the same. */
const isRelated = (one: FoundSession, other: FoundSession) =>
  one.supersededBy === other.sessionId ||
  other.supersededBy === one.sessionId ||
  (one.supersededBy !== null && one.supersededBy === other.supersededBy);

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
