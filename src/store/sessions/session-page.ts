// One session, turn by turn: what was asked, what the agent did, and what was remembered of it.
import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryKind, type MemoryRef } from '../../core/memory.ts';
import type { SessionPage, SessionTurn, WholeSession } from '../../core/session.ts';
import { readMemories } from '../memories/memories.ts';
import { spentBySession } from '../spending/spend.ts';
import { listTurnTools, type TurnsOf } from './session-tools.ts';

export type TurnQuery = { order: 'oldest' | 'newest'; limit: number; offset: number };

/** Null when there is no such session, or it is none of an agent: notes by hand and commits have one for their bookkeeping. */
export function readSessionPage(db: Database, sessionId: number, query: TurnQuery): Omit<SessionPage, 'rollUp'> | null {
  const session = readSession(db, sessionId);
  if (!session) return null;
  const numbers = listTurnNumbers(db, sessionId);
  const inOrder = query.order === 'oldest' ? numbers : numbers.reverse();
  const { limit, offset } = query;
  const turns = readTurns(db, sessionId, inOrder.slice(offset, offset + limit));
  return { session, turns, total: numbers.length, limit, offset };
}

type SessionRow = Omit<WholeSession, 'spend'>;

function readSession(db: Database, id: number): WholeSession | null {
  const row = db
    .query<SessionRow, [number]>(
      `SELECT s.host_session_id AS session, s.host, p.name AS project, s.branch, s.title, s.subtitle, s.status,
         s.prompt_counter AS prompts, s.started_at_epoch AS startedAt, s.updated_at_epoch AS updatedAt,
         (SELECT count(*) FROM observations o WHERE o.session_id = s.id AND o.hidden_at IS NULL) AS observations,
         s.end_reason AS endReason, s.completed_at_epoch AS completedAt, s.cwd, s.first_prompt AS firstPrompt
       FROM sessions s JOIN projects p ON p.id = s.project_id WHERE s.id = ? AND s.host NOT IN ('claude-mem','git')`,
    )
    .get(id);
  return row && { ...row, spend: spentBySession(db, id) };
}

const listTurnNumbers = (db: Database, sessionId: number): number[] =>
  db
    .query<{ number: number }, [{ sessionId: number }]>(
      `SELECT prompt_number AS number FROM prompts WHERE session_id = $sessionId
       UNION SELECT coalesce(prompt_number, 0) FROM observations WHERE session_id = $sessionId AND hidden_at IS NULL
       UNION SELECT coalesce(prompt_number, 0) FROM summaries WHERE session_id = $sessionId AND hidden_at IS NULL
       UNION SELECT prompt_number FROM events WHERE session_id = $sessionId AND kind = 'tool' ORDER BY 1`,
    )
    .all({ sessionId })
    .map(({ number }) => number);

const MOST_OBSERVATIONS = 200;

function readTurns(db: Database, sessionId: number, numbers: number[]): SessionTurn[] {
  const page = { sessionId, turns: JSON.stringify(numbers) };
  const prompts = new Map(listPrompts(db, page).map((prompt) => [prompt.turn, prompt]));
  const observed = Map.groupBy(listRefs(db, 'observation', page), ({ turn }) => turn);
  const summed = Map.groupBy(listRefs(db, 'summary', page), ({ turn }) => turn);
  const tools = listTurnTools(db, page);
  const shown = [...observed.values()].flatMap((refs) => refs.slice(0, MOST_OBSERVATIONS));
  const memories = readMemories(db, [...shown, ...[...summed.values()].flat()]);
  const read = (refs: MemoryRef[]) => refs.flatMap((ref) => memories.get(formatRef(ref)) ?? []);
  return numbers.map((number) => {
    const prompt = prompts.get(number);
    const observations = observed.get(number) ?? [];
    return {
      number,
      prompt: prompt?.text
        ? { id: formatRef({ kind: 'prompt', id: prompt.id }), text: prompt.text, at: prompt.at }
        : null,
      isPrivate: prompt?.isPrivate === 1,
      ...(tools.get(number) ?? { tools: [], moreTools: 0 }),
      observations: read(observations.slice(0, MOST_OBSERVATIONS)),
      moreObservations: Math.max(0, observations.length - MOST_OBSERVATIONS),
      // A turn that was distilled in parts has several; the last knows all.
      summary: read(summed.get(number) ?? []).at(-1) ?? null,
    };
  });
}

type PromptRow = { turn: number; id: number; text: string; at: number; isPrivate: number };

const listPrompts = (db: Database, page: TurnsOf) =>
  db
    .query<PromptRow, [TurnsOf]>(
      `SELECT prompt_number AS turn, id, CASE WHEN hidden_at IS NULL THEN text ELSE '' END AS text, created_at_epoch AS at,
         private AS isPrivate
       FROM prompts WHERE session_id = $sessionId AND prompt_number IN (SELECT value FROM json_each($turns))`,
    )
    .all(page);

const TABLES: Record<Exclude<MemoryKind, 'prompt'>, string> = { observation: 'observations', summary: 'summaries' };

const listRefs = (db: Database, kind: keyof typeof TABLES, page: TurnsOf) =>
  db
    .query<MemoryRef & { turn: number }, [TurnsOf]>(
      `SELECT '${kind}' AS kind, id, coalesce(prompt_number, 0) AS turn FROM ${TABLES[kind]}
       WHERE session_id = $sessionId AND hidden_at IS NULL
         AND coalesce(prompt_number, 0) IN (SELECT value FROM json_each($turns)) ORDER BY id`,
    )
    .all(page);
