// What a private prompt takes with it when it is found after its own turn: the events, and what was made of them.
import type { Database } from 'bun:sqlite';
import { addDocument } from '../index/documents.ts';
import { dropAnswers } from '../spending/model-calls.ts';
import { markCopies } from './stale-copies.ts';

/** The agents that what is gone was done by, and those that were started by it. They may go on under later prompts. */
export type Agents = { atWork: string[]; started: string[] };

/** `turns`: numbers of prompts whose records told of it. They are gone, too, and can be made again of what is left. */
export type WithTurns = { turns: number[] };

/** All but the prompt's own marker. */
export function forgetPrompt(
  db: Database,
  sessionId: number,
  prompt: { promptId: string; exceptId: string },
): Agents & WithTurns {
  const events = db
    .query<Gone & { started: string | null; agent: string | null }, [number, string, string]>(
      `DELETE FROM events WHERE session_id = ? AND prompt_id = ? AND id <> ? RETURNING ${GONE},
         json_extract(payload, '$.action.agentId') AS started, json_extract(payload, '$.agentId') AS agent`,
    )
    .all(sessionId, prompt.promptId, prompt.exceptId);
  const turns = forgetMade(db, sessionId, events);
  return {
    turns,
    atWork: events.flatMap(({ agent }) => agent ?? []),
    started: events.flatMap(({ started }) => started ?? []),
  };
}

/** What an agent did that was started under a private prompt, and its report. With the agents that it started itself. */
export function forgetAgent(db: Database, sessionId: number, agentId: string): { started: string[] } & WithTurns {
  const events = db
    .query<Gone & { started: string | null }, [{ sessionId: number; agentId: string }]>(
      `DELETE FROM events WHERE session_id = $sessionId AND kind IN ('tool','subagent') AND payload IS NOT NULL
         AND $agentId IN (json_extract(payload, '$.agentId'), json_extract(payload, '$.action.agentId'))
       RETURNING ${GONE}, json_extract(payload, '$.action.agentId') AS started`,
    )
    .all({ sessionId, agentId });
  const turns = forgetMade(db, sessionId, events);
  return { turns, started: events.flatMap(({ started }) => started ?? []) };
}

export function forgetEvent(db: Database, sessionId: number, seq: number): WithTurns {
  const events = db
    .query<Gone, [number, number]>(`DELETE FROM events WHERE session_id = ? AND seq = ? RETURNING ${GONE}`)
    .all(sessionId, seq);
  return { turns: forgetMade(db, sessionId, events) };
}

/**
 * The summary of a compaction is about the whole conversation: it tells of what only now turns out to be private. That there was
 * one stays. `isRead`: the private part was found in a transcript, whose times need not be those of hooks.
 */
export function forgetCompactions(db: Database, sessionId: number, found: { since: number; isRead: boolean }): void {
  const events = db
    .query<Gone, [{ sessionId: number; since: number; isRead: number }]>(
      `UPDATE events SET payload = json_set(payload, '$.summary', '') WHERE session_id = $sessionId AND kind = 'compaction'
         AND (created_at_epoch >= $since OR ($isRead AND provenance LIKE 'hook:%'))
         AND (payload IS NULL OR json_extract(payload, '$.summary') <> '') RETURNING ${GONE}`,
    )
    .all({ sessionId, since: found.since, isRead: Number(found.isRead) });
  forgetMade(db, sessionId, events);
}

type Gone = { id: string; at: number; batchId: number | null; number: number; kind: string };
const GONE = 'id, created_at_epoch AS at, batch_id AS batchId, prompt_number AS number, kind';

/** What was made of events that are gone. */
function forgetMade(db: Database, sessionId: number, events: Gone[]): number[] {
  if (events.length === 0) return [];
  markCopies(db, 'stale');
  const dropObservations = db.query(
    `DELETE FROM observations WHERE session_id = ? AND EXISTS (SELECT 1 FROM json_each(sources) WHERE value = ?)`,
  );
  for (const { id } of events) dropObservations.run(sessionId, id);
  // A model may be looking at them, or have answered: its words rest on them, too.
  for (const batchId of new Set(events.map((event) => event.batchId))) if (batchId !== null) forgetBatch(db, batchId);
  // A summary does not name its events: whatever was summed up since the first of them may rest on it.
  const since = Math.min(...events.map(({ at }) => at));
  db.query('DELETE FROM summaries WHERE session_id = ? AND created_at_epoch >= ?').run(sessionId, since);
  db.query('UPDATE sessions SET title = NULL, subtitle = NULL WHERE id = ?').run(sessionId);
  db.query(
    `UPDATE replacements SET words = NULL
     WHERE (newer_kind = 'observation' AND newer_id IN (SELECT id FROM observations WHERE session_id = $id))
       OR (newer_kind = 'prompt' AND newer_id IN (SELECT id FROM prompts WHERE session_id = $id))`,
  ).run({ id: sessionId });
  // No record tells of a compaction.
  const numbers = new Set(events.filter(({ kind }) => kind !== 'compaction').map(({ number }) => number));
  return [...numbers].filter((number) => dropRecord(db, sessionId, number));
}

function dropRecord(db: Database, sessionId: number, number: number): boolean {
  const { changes } = db.query('DELETE FROM turns WHERE session_id = ? AND prompt_number = ?').run(sessionId, number);
  const prompt = db
    .query<{ id: number }, [number, number]>('SELECT id FROM prompts WHERE session_id = ? AND prompt_number = ?')
    .get(sessionId, number);
  if (changes > 0 && prompt) addDocument(db, { kind: 'prompt', id: prompt.id });
  return changes > 0;
}

/** What a model made of a batch may rest on any of its events, whatever it names as its source. */
function forgetBatch(db: Database, batchId: number): void {
  dropAnswers(db, batchId);
  db.query(
    "DELETE FROM observations WHERE batch_id = $id AND batch_id IN (SELECT id FROM batches WHERE observer = 'model')",
  ).run({ id: batchId });
  db.query('UPDATE batches SET reason = NULL WHERE id = ?').run(batchId);
}
