// Which turn each memory is of.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryKind, type MemoryRef } from '../../core/memory.ts';

const TABLES: Record<MemoryKind, string> = { observation: 'observations', summary: 'summaries', prompt: 'prompts' };

/** By id as it is written; the same key for what is of one turn. What was noted by hand, and a commit, is of none. */
export function readTurnKeys(db: Database, refs: MemoryRef[]): Map<string, string> {
  const keys = new Map<string, string>();
  for (const [kind, list] of Map.groupBy(refs, (ref) => ref.kind)) {
    const rows = db
      .query<{ id: number; key: string }, [string]>(
        `SELECT m.id, m.session_id || ':' || m.prompt_number AS key FROM json_each(?) wanted JOIN ${TABLES[kind]} m ON m.id = wanted.value
         JOIN sessions s ON s.id = m.session_id WHERE m.prompt_number IS NOT NULL AND s.host NOT IN ('claude-mem','git')`,
      )
      .all(JSON.stringify(list.map(({ id }) => id)));
    for (const { id, key } of rows) keys.set(formatRef({ kind, id }), key);
  }
  return keys;
}

/** By the keys of their turns. */
export function listTurnObservations(db: Database, keys: string[]): Map<string, number[]> {
  const rows = db
    .query<{ id: number; key: string }, [string]>(
      `SELECT o.id, wanted.value AS key FROM json_each(?) wanted CROSS JOIN observations o
         ON o.session_id = CAST(substr(wanted.value, 1, instr(wanted.value, ':') - 1) AS INTEGER)
           AND o.prompt_number = CAST(substr(wanted.value, instr(wanted.value, ':') + 1) AS INTEGER)`,
    )
    .all(JSON.stringify(keys));
  return new Map([...Map.groupBy(rows, ({ key }) => key)].map(([key, those]) => [key, those.map(({ id }) => id)]));
}

/** The prompts of their turns. */
export function listTurnPrompts(db: Database, refs: MemoryRef[]): number[] {
  const ids = refs.flatMap(({ kind, id }) =>
    db
      .query<{ id: number }, [number]>(
        `SELECT p.id FROM ${TABLES[kind]} m JOIN prompts p ON p.session_id = m.session_id AND p.prompt_number = m.prompt_number
         WHERE m.id = ? AND p.text <> ''`,
      )
      .all(id)
      .map((row) => row.id),
  );
  return [...new Set(ids)];
}
