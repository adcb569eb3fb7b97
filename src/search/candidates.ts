// The documents that may be answers, with where each stands.
import type { Database } from 'bun:sqlite';
import type { MemoryKind } from '../core/memory.ts';
import type { Condition } from './filters.ts';

export type Candidate = {
  document: number;
  kind: MemoryKind;
  ref: number;
  type: string;
  projectId: number;
  sessionId: number;
  at: number;
  /** The documents just before and after it in its session. */
  before: number | null;
  after: number | null;
  /** 1: words of a person alone, without a record of what came of them. */
  isBare: number;
};

/** Those that a condition lets through, and that are still there. */
export function readCandidates(db: Database, documents: number[], condition: Condition): Candidate[] {
  return db
    .query<Candidate, [Record<string, string | number>]>(
      `SELECT d.id AS document, d.kind, d.ref, d.type, d.project_id AS projectId, d.session_id AS sessionId, d.at,
         (SELECT max(id) FROM documents n WHERE n.session_id = d.session_id AND n.id < d.id) AS before,
         (SELECT min(id) FROM documents n WHERE n.session_id = d.session_id AND n.id > d.id) AS after,
         d.kind = 'prompt' AND NOT EXISTS (SELECT 1 FROM prompts p JOIN turns t USING (session_id, prompt_number)
           WHERE p.id = d.ref AND t.record <> '') AS isBare
       FROM json_each($documents) AS wanted CROSS JOIN documents d INDEXED BY documents_places ON d.id = wanted.value WHERE ${condition.sql}`,
    )
    .all({ ...condition.values, documents: JSON.stringify(documents) });
}

/** The newest (or oldest) that a condition lets through, for whoever asks for no words. */
export function listCandidates(
  db: Database,
  condition: Condition,
  { limit, offset }: { limit: number; offset: number },
): { documents: number[]; total: number } {
  const total =
    db
      .query<{ n: number }, [Record<string, string | number>]>(
        `SELECT count(*) AS n FROM documents d WHERE ${condition.sql}`,
      )
      .get(condition.values)?.n ?? 0;
  const documents = db
    .query<{ id: number }, [Record<string, string | number>]>(
      `SELECT d.id FROM documents d WHERE ${condition.sql} ORDER BY d.at DESC, d.id DESC LIMIT $limit OFFSET $offset`,
    )
    .all({ ...condition.values, limit, offset })
    .map(({ id }) => id);
  return { documents, total };
}
