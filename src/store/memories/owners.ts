// Of which project memories are, and which of them are a person's own words or choice.
import type { Database } from 'bun:sqlite';
import type { MemoryKind, MemoryRef } from '../../core/memory.ts';

export type Owner = { ref: MemoryRef; projectId: number; isPersons: boolean };

const OWNER: Record<MemoryKind, string> = {
  observation: `SELECT project_id AS projectId, origin = 'user' OR pinned = 1 OR kept = 1 OR edited_at IS NOT NULL AS isPersons
    FROM observations WHERE id = ?`,
  summary: 'SELECT project_id AS projectId, 0 AS isPersons FROM summaries WHERE id = ?',
  prompt: `SELECT sessions.project_id AS projectId, 1 AS isPersons
    FROM prompts JOIN sessions ON sessions.id = prompts.session_id WHERE prompts.id = ?`,
};

/** Of those that are there. */
export function listOwners(db: Database, refs: MemoryRef[]): Owner[] {
  return refs.flatMap((ref) => {
    const row = db.query<{ projectId: number; isPersons: number }, [number]>(OWNER[ref.kind]).get(ref.id);
    return row ? [{ ref, projectId: row.projectId, isPersons: row.isPersons === 1 }] : [];
  });
}
