// What else was made of the same turn: the siblings of a memory.
import type { Database } from 'bun:sqlite';
import type { MemoryKind, MemoryRef } from '../../core/memory.ts';
import { formatRef } from '../../core/memory.ts';

/** The observations and summaries of their turns, and observations made only of the events that these rest on. */
export function listRelated(db: Database, refs: MemoryRef[]): MemoryRef[] {
  const own = new Set(refs.map(formatRef));
  const found = refs.flatMap((ref) => db.query<MemoryRef, [number]>(RELATED[ref.kind]).all(ref.id));
  return found.filter((ref) => !own.has(formatRef(ref)) && own.add(formatRef(ref)));
}

const SUMMARIES_OF_TURN = `SELECT 'summary' AS kind, s.id FROM summaries s JOIN mine ON s.session_id = mine.session_id
  AND s.prompt_number = mine.prompt_number`;

/** What was noted by hand, and a commit, is of none. */
const OF_TURN = `(o.prompt_number > 0 AND o.prompt_number = mine.prompt_number
  AND EXISTS (SELECT 1 FROM sessions s WHERE s.id = o.session_id AND s.host NOT IN ('claude-mem','git')))`;

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
