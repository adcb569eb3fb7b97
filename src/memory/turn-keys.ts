// Which turn each memory is of.
import type { Database } from 'bun:sqlite';
import { formatRef, MEMORY_TABLES, type MemoryKind, type MemoryRef } from '../core/memory.ts';
import { readAll, readColumn } from '../store/read.ts';

/** By id as it is written; the same key for what is of one turn. What was noted by hand, and a commit, is of none. */
export function readTurnKeys(db: Database, refs: MemoryRef[]): Map<string, string> {
  const keys = new Map<string, string>();
  for (const [kind, list] of Map.groupBy(refs, (ref) => ref.kind)) {
    const sql = `SELECT m.id, m.session_id || ':' || m.prompt_number AS key
      FROM json_each(?) wanted JOIN ${MEMORY_TABLES[kind]} m ON m.id = wanted.value
      WHERE m.session_id IS NOT NULL AND m.prompt_number IS NOT NULL`;
    const rows = readAll<{ id: number; key: string }>(db, sql, JSON.stringify(list.map(({ id }) => id)));
    for (const { id, key } of rows) keys.set(formatRef({ kind, id }), key);
  }
  return keys;
}

/** By the keys of their turns. */
export function listTurnObservations(db: Database, keys: string[]): Map<string, number[]> {
  const sql = `SELECT o.id, wanted.value AS key FROM json_each(?) wanted CROSS JOIN observations o
    ON o.session_id = CAST(substr(wanted.value, 1, instr(wanted.value, ':') - 1) AS INTEGER)
      AND o.prompt_number = CAST(substr(wanted.value, instr(wanted.value, ':') + 1) AS INTEGER)`;
  const rows = readAll<{ id: number; key: string }>(db, sql, JSON.stringify(keys));
  return new Map([...Map.groupBy(rows, ({ key }) => key)].map(([key, those]) => [key, those.map(({ id }) => id)]));
}

/** The prompts of their turns. */
export function listTurnPrompts(db: Database, refs: MemoryRef[]): number[] {
  const promptOf = (table: string) => `SELECT p.id FROM ${table} m
    JOIN prompts p ON p.session_id = m.session_id AND p.prompt_number = m.prompt_number WHERE m.id = ? AND p.text <> ''`;
  return [...new Set(refs.flatMap(({ kind, id }) => readColumn<number>(db, promptOf(MEMORY_TABLES[kind]), id)))];
}

/** The observations and summaries of their turns, and observations made only of the events that these rest on. */
export function listRelated(db: Database, refs: MemoryRef[]): MemoryRef[] {
  const own = new Set(refs.map(formatRef));
  const found = refs.flatMap((ref) => readAll<MemoryRef>(db, RELATED[ref.kind], ref.id));
  return found.filter((ref) => !own.has(formatRef(ref)) && own.add(formatRef(ref)));
}

const SUMMARIES_OF_TURN = `SELECT 'summary' AS kind, s.id FROM summaries s JOIN mine ON s.session_id = mine.session_id
  AND s.prompt_number = mine.prompt_number`;

const OF_TURN = '(o.prompt_number > 0 AND o.prompt_number = mine.prompt_number)';

/** `mine.sources` is JSON: the ids of its events. */
const MADE_OF_THE_SAME = `SELECT 'observation' AS kind, o.id FROM observations o JOIN mine ON o.session_id = mine.session_id
  WHERE ${OF_TURN} OR (o.sources <> '[]' AND NOT EXISTS (
    SELECT 1 FROM json_each(o.sources) AS source WHERE source.value NOT IN (SELECT value FROM json_each(mine.sources))))`;

const EVENTS_OF_TURN = `(SELECT json_group_array(e.id) FROM events e WHERE e.session_id = m.session_id
  AND e.prompt_number = m.prompt_number`;

const relatedTo = (table: string, sources: string) => `
  WITH mine AS (SELECT m.session_id, m.prompt_number, ${sources} AS sources FROM ${table} m WHERE m.id = ?)
  ${MADE_OF_THE_SAME} UNION ALL ${SUMMARIES_OF_TURN}`;

const RELATED: Record<MemoryKind, string> = {
  observation: relatedTo('observations', 'm.sources'),
  summary: relatedTo('summaries', `${EVENTS_OF_TURN})`),
  // It stands for its turn.
  prompt: relatedTo('prompts', `${EVENTS_OF_TURN})`),
};
