// Found sessions as a reader meets them: named, with their best memories.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import type { SessionHit } from '../core/search.ts';
import { readRows } from '../store/memories/memories.ts';
import { readCandidates } from './candidates.ts';
import { toCondition } from './filters.ts';
import type { FoundSession } from './search-sessions.ts';

type Named = { id: number; session: string; title: string | null; project: string };

export function describeSessions(db: Database, found: FoundSession[]): SessionHit[] {
  const ids = found.map(({ sessionId }) => sessionId);
  const names = new Map(readNames(db, ids).map((row) => [row.id, row]));
  const documents = readCandidates(
    db,
    found.flatMap((session) => session.documents),
    toCondition({ projectIds: null }),
  );
  const refs = new Map(documents.map(({ document, kind, ref }) => [document, { kind, id: ref } satisfies MemoryRef]));
  const rows = readRows(db, [...refs.values()]);
  return found.flatMap(({ sessionId, score, at, documents: best }) => {
    const named = names.get(sessionId);
    if (!named) return [];
    const { session, title, project } = named;
    const memories = best.flatMap((document) => {
      const ref = refs.get(document);
      return (ref && rows.get(formatRef(ref))) ?? [];
    });
    return { session, title, project, at, score: Math.round(score * 1000) / 1000, best: memories };
  });
}

function readNames(db: Database, ids: number[]): Named[] {
  return db
    .query<Named, [string]>(
      `SELECT wanted.value AS id, s.host_session_id AS session, coalesce(s.title, s.first_prompt) AS title, p.name AS project
       FROM json_each(?) AS wanted LEFT JOIN observations o ON o.id = -wanted.value
         JOIN sessions s ON s.id = coalesce(o.session_id, wanted.value) JOIN projects p ON p.id = s.project_id`,
    )
    .all(JSON.stringify(ids));
}
