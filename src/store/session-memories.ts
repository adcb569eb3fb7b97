// What a session left behind, turn by turn: what may be told of it, and what must not come back through another memory.
import type { Database } from 'bun:sqlite';
import type { Observation } from './observations.ts';
import { readTellableByIds } from './tellable-observations.ts';
import { holds, trustedSession } from './trusted.ts';

export type SessionPrompt = { id: number; turn: number; text: string; at: number };
export type SessionSummary = { id: number; turn: number; learned: string | null; completed: string | null; at: number };
export type SessionMemories = {
  observations: (Observation & { turn: number })[];
  prompts: SessionPrompt[];
  summaries: SessionSummary[];
  /** Words of observations that are not told: hidden, wrong, from outside, superseded. */
  untold: string[];
};

/** Oldest first. Of a session of any length the newest: what was said last is what holds. */
export function readSessionMemories(db: Database, sessionId: number): SessionMemories {
  const rows = listRows(db, 'o.session_id = ?', sessionId);
  const { prompts, summaries } = readWords(db, sessionId);
  // A turn that rests on what is not to be believed is not told by its summary either.
  const doubtful = new Set(rows.filter(({ isHeld }) => !isHeld).map(({ turn }) => turn));
  return { ...told(db, rows), prompts, summaries: summaries.filter(({ turn }) => !doubtful.has(turn)) };
}

/** What was said by hand stands for itself. */
export const readNote = (db: Database, id: number): SessionMemories => ({
  ...told(db, listRows(db, 'o.id = ?', id)),
  prompts: [],
  summaries: [],
});

type ObservationRow = { id: number; turn: number; words: string; isHeld: number };

const MOST = 300;

const listRows = (db: Database, where: string, value: number) =>
  db
    .query<ObservationRow, [number]>(
      `SELECT o.id, o.prompt_number AS turn, concat_ws(char(10), o.title, o.narrative, o.facts) AS words, ${holds('o')} AS isHeld
       FROM observations o WHERE ${where} ORDER BY o.id DESC LIMIT ${MOST}`,
    )
    .all(value);

function told(db: Database, rows: ObservationRow[]): Pick<SessionMemories, 'observations' | 'untold'> {
  const turns = new Map(rows.map(({ id, turn }) => [id, turn]));
  const observations = readTellableByIds(db, [...turns.keys()])
    .map((observation) => ({ ...observation, turn: turns.get(observation.id) ?? 0 }))
    .sort((one, other) => one.at - other.at || one.id - other.id);
  const isTold = new Set(observations.map(({ id }) => id));
  return { observations, untold: rows.filter(({ id }) => !isTold.has(id)).map(({ words }) => words) };
}

function readWords(db: Database, sessionId: number): Pick<SessionMemories, 'prompts' | 'summaries'> {
  const shown = `session_id = ? AND hidden_at IS NULL AND ${trustedSession('m.session_id')}`;
  const prompts = db
    .query<SessionPrompt, [number]>(
      `SELECT id, prompt_number AS turn, text, created_at_epoch AS at FROM prompts m
       WHERE ${shown} AND private = 0 AND text <> '' ORDER BY prompt_number DESC LIMIT ${MOST}`,
    )
    .all(sessionId);
  const summaries = db
    .query<SessionSummary, [number]>(
      `SELECT id, prompt_number AS turn, learned, completed, created_at_epoch AS at FROM summaries m
       WHERE ${shown} ORDER BY id DESC LIMIT ${MOST}`,
    )
    .all(sessionId);
  return { prompts: prompts.reverse(), summaries: summaries.reverse() };
}
