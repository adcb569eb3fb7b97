// The same search, answered by sessions: which conversation was it?
import { formatRef } from '../core/memory.ts';
import { listSessionTexts } from '../store/index/documents.ts';
import { readTurnKeys } from '../store/memories/turn-keys.ts';
import type { Filters } from './filters.ts';
import type { Finder, Found } from './find.ts';
import { onlyRelevant } from './relevance.ts';
import { isSameSubject, newerFirst, readTopics } from './topics.ts';

export type FoundSession = {
  sessionId: number;
  score: number;
  at: number;
  /** Its best documents, best first. */
  documents: number[];
};

/** A session is as good as its best two turns together. */
const BEST_TURNS = 2;
const SHOWN = 4;
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
  const refs = found.scored.map(({ candidate }) => ({ kind: candidate.kind, id: candidate.ref }));
  const turns = readTurnKeys(finder.db, refs);
  const ranked = [...Map.groupBy(found.scored, ({ candidate }) => candidate.sessionId)]
    .filter(([sessionId]) => relevant.has(sessionId))
    .map(([sessionId, items]) => ({
      sessionId,
      score: scoreTurns(items, turns),
      at: Math.max(...items.map(({ candidate }) => candidate.at)),
      documents: items.slice(0, SHOWN).map(({ candidate }) => candidate.document),
    }))
    .sort((one, other) => other.score - one.score);
  return orderByTopic(finder, ranked, among).slice(0, limit);
}

/** A turn, its summary and its observations say the same: if each counted, one turn would be a whole session. */
function scoreTurns(items: Found['scored'], turns: Map<string, string>): number {
  const best = new Map<string, number>();
  for (const { candidate, score } of items) {
    const id = formatRef({ kind: candidate.kind, id: candidate.ref });
    const turn = turns.get(id) ?? id;
    if (best.size < BEST_TURNS && !best.has(turn)) best.set(turn, score);
  }
  return [...best.values()].reduce((sum, score) => sum + score, 0);
}

function orderByTopic(finder: Finder, ranked: FoundSession[], among: number): FoundSession[] {
  const compared = ranked.slice(0, among);
  const texts = listSessionTexts(
    finder.db,
    compared.map(({ sessionId }) => sessionId),
  );
  const topics = readTopics(texts, finder.known);
  const isSameTopic = (older: FoundSession, newer: FoundSession) =>
    isSameSubject(topics.get(newer.sessionId), topics.get(older.sessionId));
  return [...newerFirst(compared, isSameTopic), ...ranked.slice(among)];
}
