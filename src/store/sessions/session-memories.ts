// What a session left behind, turn by turn: what may be told of it, and what must not come back through another memory.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { formatRef, type MemoryKind, type MemoryRef, type ReplacedBy } from '../../core/memory.ts';
import { standingCompleted } from '../commits/reverted-turns.ts';
import type { Observation } from '../memories/observations.ts';
import { readReplacedBy } from '../memories/replaced-by.ts';
import { readTellableByIds } from '../trust/tellable-observations.ts';
import { holds, trustedSession } from '../trust/trusted.ts';

export type SessionPrompt = { id: number; turn: number; text: string; at: number };
export type SessionSummary = { id: number; turn: number; learned: string | null; completed: string | null; at: number };
export type SessionMemories = {
  observations: (Observation & { turn: number })[];
  prompts: SessionPrompt[];
  summaries: SessionSummary[];
  /** What it decided and something newer replaced, or may have. */
  replaced: ReplacedDecision[];
  /** Words of observations that are not told: hidden, wrong, from outside, replaced. */
  untold: string[];
};
export type ReplacedDecision = { id: number; turn: number; at: number; texts: string[]; replacedBy: ReplacedBy };

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
};

const MOST = 300;

const listRows = (db: Database, where: string, value: number) =>
  db
    .query<ObservationRow, [number]>(
      `SELECT o.id, o.prompt_number AS turn, o.created_at_epoch AS at, o.type, o.title, o.narrative, o.facts,
         ${holds('o')} AS isHeld
       FROM observations o WHERE ${where} ORDER BY o.id DESC LIMIT ${MOST}`,
    )
    .all(value);

function told(db: Database, rows: ObservationRow[]): Pick<SessionMemories, 'observations' | 'replaced' | 'untold'> {
  const turns = new Map(rows.map(({ id, turn }) => [id, turn]));
  const marks = readReplacedBy(db, refsOf('observation', rows));
  // What may be replaced is not told alone; what was ruled out is told as that.
  const observations = readTellableByIds(db, [...turns.keys()])
    .filter(({ replacedBy }) => replacedBy?.isCertain !== false)
    .map((observation) => ({ ...observation, turn: turns.get(observation.id) ?? 0 }))
    .sort((one, other) => one.at - other.at || one.id - other.id);
  const isTold = new Set(observations.map(({ id }) => id));
  const untold = rows.filter(({ id }) => !isTold.has(id)).map((row) => textsOf(row).join('\n'));
  const replaced = rows.flatMap((row) => {
    const { id, turn, at, type, isHeld } = row;
    const replacedBy = marks.get(String(id));
    return type === 'decision' && isHeld && replacedBy ? [{ id, turn, at, texts: textsOf(row), replacedBy }] : [];
  });
  return { observations, replaced, untold };
}

const refsOf = (kind: MemoryKind, rows: { id: number }[]): MemoryRef[] => rows.map(({ id }) => ({ kind, id }));

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
  const marks = readReplacedBy(db, [...refsOf('prompt', prompts), ...refsOf('summary', summaries)]);
  const stands = (kind: MemoryKind) => (row: { id: number }) => !marks.has(formatRef({ kind, id: row.id }));
  return {
    prompts: prompts.filter(stands('prompt')).reverse(),
    summaries: summaries.filter(stands('summary')).reverse(),
  };
}

/** In which session a memory was made. As in documents: what was said by hand stands for itself. */
export function sessionOf(db: Database, { kind, id }: MemoryRef): number | null {
  const table = kind === 'prompt' ? 'prompts' : 'observations';
  const row = db
    .query<{ sessionId: number }, [number]>(
      `SELECT CASE WHEN s.host IN ('claude-mem','git') THEN -m.id ELSE m.session_id END AS sessionId
       FROM ${table} m JOIN sessions s ON s.id = m.session_id WHERE m.id = ?`,
    )
    .get(id);
  return row?.sessionId ?? null;
}

/** Which of these sessions say what was replaced, or may be, in which others. */
export function listReplacedSessions(db: Database, sessionIds: number[]): { older: number; newer: number }[] {
  return db
    .query<{ older: number; newer: number }, [string]>(
      `SELECT DISTINCT o.session_id AS older, n.session_id AS newer
       FROM json_each(?) AS wanted CROSS JOIN observations o ON o.session_id = wanted.value
         CROSS JOIN replacements r ON r.older_kind = 'observation' AND r.older_id = o.id AND r.both_hold = 0
         JOIN observations n ON r.newer_kind = 'observation' AND n.id = r.newer_id
       WHERE n.session_id <> o.session_id AND ${holds('n')}`,
    )
    .all(JSON.stringify(sessionIds));
}
