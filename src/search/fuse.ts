// One score out of many signals. Each part is a number of its own, so that an answer can be explained.
import type { Candidate } from './candidates.ts';
import type { Nearness } from './meaning.ts';

export type Signals = {
  /** BM25 by document. */
  words: Map<number, number>;
  meaning: Map<number, Nearness>;
  now: number;
};

export type Scored = {
  candidate: Candidate;
  score: number;
  parts: { keyword: number; meaning: number; neighbours: number; recency: number; type: number };
};

/** docs/retrieval.md tells how these were found, and what else was tried. */
const KEYWORD = 0.6;
const MEANING = 0.2;
/** Of the score of what was said before and after it. Only for words that stand alone: a record holds what it was about itself. */
const BEFORE = 0.3;
const AFTER = 0.15;
/** Of the mean of the best three of its session: a topic stays for a while. */
const SESSION = 0.2;
const SESSION_BEST = 3;
const RECENCY = 0.04;
const HALF_LIFE_MS = 60 * 86_400_000;
/** What somebody concluded goes before what somebody asked. */
const TYPE: Record<string, number> = { decision: 0.04, bugfix: 0.03, discovery: 0.02, prompt: -0.03 };

/** Best first. Documents that only stand beside a find are candidates too. */
export function fuse(candidates: Candidate[], { words, meaning, now }: Signals): Scored[] {
  let best = Number.MIN_VALUE;
  for (const score of words.values()) best = Math.max(best, score);
  const own = new Map<number, { keyword: number; meaning: number }>();
  for (const { document } of candidates) {
    own.set(document, {
      keyword: (KEYWORD * (words.get(document) ?? 0)) / best,
      meaning: MEANING * (meaning.get(document)?.standing ?? 0),
    });
  }
  const ownScore = (document: number | null) => {
    const parts = document === null ? undefined : own.get(document);
    return parts ? parts.keyword + parts.meaning : 0;
  };
  const beside = new Map(
    candidates
      .filter(({ isBare }) => isBare)
      .map(({ document, before, after }) => [
        document,
        BEFORE * Math.max(0, ownScore(before)) + AFTER * Math.max(0, ownScore(after)),
      ]),
  );
  const topics = scoreSessions(candidates, (document) => ownScore(document) + (beside.get(document) ?? 0));
  const around = ({ document, sessionId, isBare }: Candidate) =>
    isBare ? (beside.get(document) ?? 0) + SESSION * (topics.get(sessionId) ?? 0) : 0;
  return candidates
    .map((candidate) => {
      const parts = {
        keyword: own.get(candidate.document)?.keyword ?? 0,
        meaning: own.get(candidate.document)?.meaning ?? 0,
        neighbours: around(candidate),
        recency: RECENCY * 0.5 ** (Math.max(0, now - candidate.at) / HALF_LIFE_MS),
        type: TYPE[candidate.type] ?? 0,
      };
      const score = parts.keyword + parts.meaning + parts.neighbours + parts.recency + parts.type;
      return { candidate, score, parts };
    })
    .sort((one, other) => other.score - one.score || other.candidate.document - one.candidate.document);
}

function scoreSessions(candidates: Candidate[], scoreOf: (document: number) => number): Map<number, number> {
  const scores = new Map<number, number[]>();
  for (const { sessionId, document } of candidates) {
    const list = scores.get(sessionId);
    if (list) list.push(scoreOf(document));
    else scores.set(sessionId, [scoreOf(document)]);
  }
  return new Map(
    [...scores].map(([session, list]) => {
      const top = list.sort((one, other) => other - one).slice(0, SESSION_BEST);
      return [session, Math.max(0, top.reduce((sum, score) => sum + score, 0) / SESSION_BEST)];
    }),
  );
}
