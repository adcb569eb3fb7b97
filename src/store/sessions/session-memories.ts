// What a session left behind, turn by turn: what may be told of it, and what must not come back through another memory.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { standingCompleted } from '../commits/reverted-turns.ts';
import type { Observation } from '../memories/observations.ts';
import { readTellableByIds } from '../trust/tellable-observations.ts';
import { holds, newestAbove, trustedSession } from '../trust/trusted.ts';

export type SessionPrompt = { id: number; turn: number; text: string; at: number };
export type SessionSummary = { id: number; turn: number; learned: string | null; completed: string | null; at: number };
export type SessionMemories = {
  observations: (Observation & { turn: number })[];
  prompts: SessionPrompt[];
  summaries: SessionSummary[];
  /** What it decided and a newer decision, `newest`, stands in the place of. */
  superseded: SupersededDecision[];
  /** Words of observations that are not told: hidden, wrong, from outside, superseded. */
  untold: string[];
};
export type SupersededDecision = { id: number; turn: number; at: number; texts: string[]; newest: number };

/** Oldest first. Of a session of any length the newest: what was said last is what holds. */
export function readSessionMemories(db: Database, sessionId: number): SessionMemories {
  const rows = listRows(db, 'o.session_id = ?', sessionId);
  const { prompts, summaries } = readWords(db, sessionId);
  // A turn that rests on what is not to be believed is not told by its summary either.
  const doubtful = new Set(rows.filter(({ isHeld }) => !isHeld).map(({ turn }) => turn));
  return { ...told(db, rows), prompts, summaries: summaries.filter(({ turn }) => !doubtful.has(turn)) };
}

/** Of these, the ones that could be told, whatever came after them. */
export const listBelieved = (db: Database, ids: number[]): Set<number> =>
  new Set(
    db
      .query<{ id: number }, [string]>(
        `SELECT o.id FROM json_each(?) AS wanted CROSS JOIN observations o ON o.id = wanted.value WHERE ${holds('o')}`,
      )
      .all(JSON.stringify(ids))
      .map(({ id }) => id),
  );

/** What was said by hand stands for itself. */
export const readNote = (db: Database, id: number): SessionMemories => ({
  ...told(db, listRows(db, 'o.id = ?', id)),
  prompts: [],
  summaries: [],
});

type ObservationRow = {
  id: number;
  turn: number;
  at: number;
  type: string;
  title: string | null;
  narrative: string | null;
  facts: string;
  isHeld: number;
  newest: number | null;
};

const MOST = 300;

const listRows = (db: Database, where: string, value: number) =>
  db
    .query<ObservationRow, [number]>(
      `SELECT o.id, o.prompt_number AS turn, o.created_at_epoch AS at, o.type, o.title, o.narrative, o.facts,
         ${holds('o')} AS isHeld, ${newestAbove('o')} AS newest
       FROM observations o WHERE ${where} ORDER BY o.id DESC LIMIT ${MOST}`,
    )
    .all(value);

function told(db: Database, rows: ObservationRow[]): Pick<SessionMemories, 'observations' | 'superseded' | 'untold'> {
  const turns = new Map(rows.map(({ id, turn }) => [id, turn]));
  const observations = readTellableByIds(db, [...turns.keys()])
    .map((observation) => ({ ...observation, turn: turns.get(observation.id) ?? 0 }))
    .sort((one, other) => one.at - other.at || one.id - other.id);
  const isTold = new Set(observations.map(({ id }) => id));
  const untold = rows.filter(({ id }) => !isTold.has(id)).map((row) => textsOf(row).join('\n'));
  const superseded = rows.flatMap((row) => {
    const { id, turn, at, type, isHeld, newest } = row;
    return type === 'decision' && isHeld && newest !== null ? [{ id, turn, at, texts: textsOf(row), newest }] : [];
  });
  return { observations, superseded, untold };
}

const Facts = z.array(z.object({ text: z.string() }));

const textsOf = ({ title, narrative, facts }: ObservationRow) =>
  [title, narrative, ...Facts.parse(JSON.parse(facts)).map(({ text }) => text)].filter((text) => text !== null);

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
      `SELECT id, prompt_number AS turn, learned, ${standingCompleted('m')} AS completed, created_at_epoch AS at FROM summaries m
       WHERE ${shown} ORDER BY id DESC LIMIT ${MOST}`,
    )
    .all(sessionId);
  return { prompts: prompts.reverse(), summaries: summaries.reverse() };
}

/** In which session an observation was made. As in documents: what was said by hand stands for itself. */
export function sessionOf(db: Database, observationId: number): number | null {
  const row = db
    .query<{ sessionId: number }, [number]>(
      `SELECT CASE WHEN s.host IN ('claude-mem','git') THEN -o.id ELSE o.session_id END AS sessionId
       FROM observations o JOIN sessions s ON s.id = o.session_id WHERE o.id = ?`,
    )
    .get(observationId);
  return row?.sessionId ?? null;
}

/** Which of these sessions were superseded by which, by the marks on what they decided. */
export function listSupersessions(db: Database, sessionIds: number[]): { older: number; newer: number }[] {
  return db
    .query<{ older: number; newer: number }, [string]>(
      `SELECT DISTINCT o.session_id AS older, n.session_id AS newer
       FROM json_each(?) AS wanted CROSS JOIN observations o ON o.session_id = wanted.value
         JOIN observations n ON n.id = o.superseded_by
       WHERE n.session_id <> o.session_id AND ${holds('n')}`,
    )
    .all(JSON.stringify(sessionIds));
}
