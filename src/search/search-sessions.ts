// The same search, answered by sessions: which conversation was it?
import { listSessionTexts } from '../store/index/documents.ts';
import type { Filters } from './filters.ts';
import type { Finder, Found } from './find.ts';
import { onlyRelevant } from './relevance.ts';
import { newerFirst, readTopics, supersedes } from './topics.ts';

export type FoundSession = {
  sessionId: number;
  score: number;
  at: number;
  /** Its best documents, best first. */
  documents: number[];
  /** A newer session on the same topic. */
  supersededBy: number | null;
};

/** A session is as good as its best few documents together. */
const BEST = 4;
/** So many are compared with each other: each costs some milliseconds. */
const COMPARED = 30;

export async function searchSessions(
  finder: Finder,
  { query, filters, limit }: { query: string; filters: Filters; limit: number },
): Promise<FoundSession[]> {
  return rankSessions(finder, await finder.find(query, filters), limit);
}

/** What was found, by the sessions it was found in; so many of the best are compared with each other. */
export function rankSessions(finder: Finder, found: Found, limit: number, among = COMPARED): FoundSession[] {
  const relevant = new Set(onlyRelevant(found).map(({ candidate }) => candidate.sessionId));
  const sessions = new Map<number, { score: number; at: number; documents: number[] }>();
  for (const item of found.scored) {
    const { sessionId, at, document } = item.candidate;
    const session = sessions.get(sessionId) ?? { score: 0, at: 0, documents: [] };
    if (session.documents.length < BEST) {
      session.score += item.score;
      session.documents.push(document);
    }
    session.at = Math.max(session.at, at);
    sessions.set(sessionId, session);
  }
  const ranked = [...sessions]
    .filter(([sessionId]) => relevant.has(sessionId))
    .map(([sessionId, session]) => ({ sessionId, ...session }))
    .sort((one, other) => other.score - one.score);
  return orderByTopic(finder, ranked, among).slice(0, limit);
}

function orderByTopic(finder: Finder, ranked: Omit<FoundSession, 'supersededBy'>[], among: number): FoundSession[] {
  const compared = ranked.slice(0, among);
  const texts = listSessionTexts(
    finder.db,
    compared.map(({ sessionId }) => sessionId),
  );
  const topics = readTopics(texts, finder.known);
  const isSameTopic = (older: { sessionId: number }, newer: { sessionId: number }) =>
    supersedes(topics.get(newer.sessionId), topics.get(older.sessionId));
  const ordered = newerFirst(compared, isSameTopic).map(({ item, supersededBy }) => ({
    ...item,
    supersededBy: supersededBy?.sessionId ?? null,
  }));
  return [...ordered, ...ranked.slice(among).map((session) => ({ ...session, supersededBy: null }))];
}
