// The memories that came after others, by their ids: no id is given twice.
import type { Database } from 'bun:sqlite';
import { MEMORY_KINDS, type MemoryKind, type MemoryRef } from '../../core/memory.ts';
import { TABLES } from '../forgetting/hide.ts';

/** The last id of each kind. */
export type Marks = Record<MemoryKind, number>;

export function readMarks(db: Database): Marks {
  const lastOf = (kind: MemoryKind) =>
    db.query<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${TABLES[kind]}`).get()?.id ?? 0;
  return { observation: lastOf('observation'), summary: lastOf('summary'), prompt: lastOf('prompt') };
}

/** In the order in which they were made, prompts first: so many of each kind at most. */
export function listNewer(db: Database, marks: Marks, most: number): MemoryRef[] {
  return MEMORY_KINDS.toReversed().flatMap((kind) =>
    db
      .query<{ id: number }, [number, number]>(`SELECT id FROM ${TABLES[kind]} WHERE id > ? ORDER BY id LIMIT ?`)
      .all(marks[kind], most)
      .map(({ id }) => ({ kind, id })),
  );
}
