// The same search, answered by sessions: which conversation was it?
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import type { SessionHit } from '../core/shapes/search.ts';
import { readRows } from '../memory/read.ts';
import { readTurnKeys } from '../memory/turn-keys.ts';
import { listSessionTexts } from '../store/documents.ts';
import { readAll } from '../store/read.ts';
import { isSameSubject, newerFirst, readTopics } from './alike.ts';
import type { Filters } from './filters.ts';
import { type Candidate, type Finder, onlyRelevant, type Scored } from './find.ts';

/** `best`: its best memories, best first. */
export type FoundSession = { sessionId: number; score: number; at: number; best: MemoryRef[] };

/** A session is as good as its best two turns together. */
const BEST_TURNS = 2;
const SHOWN = 4;
/** So many are compared with each other: each costs some milliseconds. */
const COMPARED = 30;

type SessionSearch = { query: string; filters: Filters; limit: number };

export async function searchSessions(finder: Finder, { query, filters, limit }: SessionSearch): Promise<FoundSession[]> {
  const found = await finder.find(query, filters);
  const relevant = new Set(onlyRelevant(found).flatMap(({ candidate }) => candidate.sessionId ?? []));
  const refs = found.scored.map(({ candidate }) => refOf(candidate));
  const turns = readTurnKeys(finder.db, refs);
  const bySession = Map.groupBy(found.scored, ({ candidate }) => candidate.sessionId);
  const ranked = [...relevant]
    .map((sessionId) => {
      const items = bySession.get(sessionId) ?? [];
      const at = Math.max(...items.map(({ candidate }) => candidate.at));
      return { sessionId, score: scoreTurns(items, turns), at, best: items.slice(0, SHOWN).map(({ candidate }) => refOf(candidate)) };
    })
    .sort((one, other) => other.score - one.score);
  return newerSubjectFirst(finder, ranked).slice(0, limit);
}

const refOf = ({ kind, ref }: Candidate): MemoryRef => ({ kind, id: ref });

/**
 * A turn, its summary and its observations say the same: if each counted, one turn would be a whole session. Its record says all of
 * it; what was drawn from it is short, and a short text ranks high by one word.
 */
function scoreTurns(items: Scored[], turns: Map<string, string>): number {
  const scores = new Map<string, number>();
  for (const { candidate, score } of items) {
    const id = formatRef(refOf(candidate));
    const turn = turns.get(id) ?? id;
    const isRecord = candidate.kind === 'prompt' && !candidate.isBare;
    if (isRecord || !scores.has(turn)) scores.set(turn, score);
  }
  const best = [...scores.values()].sort((one, other) => other - one).slice(0, BEST_TURNS);
  return best.reduce((sum, score) => sum + score, 0);
}

function newerSubjectFirst({ db, known }: Finder, ranked: FoundSession[]): FoundSession[] {
  const compared = ranked.slice(0, COMPARED);
  const ids = compared.map(({ sessionId }) => sessionId);
  const topics = readTopics(listSessionTexts(db, ids), known);
  const isSame = (older: FoundSession, newer: FoundSession) => isSameSubject(topics.get(newer.sessionId), topics.get(older.sessionId));
  return [...newerFirst(compared, ({ at }) => at, isSame), ...ranked.slice(COMPARED)];
}

type Named = { id: number; session: string; title: string | null; project: string };

/** As a reader meets them: named, with their best memories. */
export function describeSessions(db: Database, found: FoundSession[]): SessionHit[] {
  const sql = `SELECT wanted.value AS id, s.host_session_id AS session, coalesce(s.title, s.first_prompt) AS title, p.name AS project
    FROM json_each(?) AS wanted JOIN sessions s ON s.id = wanted.value JOIN projects p ON p.id = s.project_id`;
  const names = readAll<Named>(db, sql, JSON.stringify(found.map(({ sessionId }) => sessionId)));
  const refs = found.flatMap(({ best }) => best);
  const rows = readRows(db, refs);
  return found.flatMap(({ sessionId, score, at, best }) => {
    const named = names.find(({ id }) => id === sessionId);
    if (!named) return [];
    const { session, title, project } = named;
    const memories = best.flatMap((ref) => rows.get(formatRef(ref)) ?? []);
    return { session, title, project, at, score: Math.round(score * 1000) / 1000, best: memories };
  });
}
