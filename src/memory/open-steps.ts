// open_steps: what is left to do, from the turn that announced it to the turn that ended it.
import type { Database } from 'bun:sqlite';
import { AskError } from '../core/ask-error.ts';
import { formatRef } from '../core/memory.ts';
import type { StepSource } from '../core/shapes/export.ts';
import { oneLine } from '../core/text.ts';
import { scrubSecrets } from '../secrets/scrub.ts';
import { countRows, readAll, readFirst } from '../store/read.ts';
import { trustedSession } from './trusted.ts';

type ClosedHow = 'ticked' | 'done' | 'refused' | 'said again' | 'not taken up' | 'model' | 'person';
type TurnPlace = { sessionId: number; promptNumber: number };

/** `ref`: the prompt of its turn. */
export type StoredStep = TurnPlace & { id: number; ref: string; text: string; project: string; source: StepSource; at: number };

const LONGEST = 280;

/** In the place of what the turn had announced before; what a later turn closed stays closed. Inside a transaction. */
export function putSteps(
  db: Database,
  turn: TurnPlace & { projectId: number; at: number },
  steps: { text: string; source: StepSource }[],
): void {
  const texts = new Map(steps.map(({ text, source }) => [scrubSecrets(oneLine(text, LONGEST)).text, source]));
  const sql = 'SELECT id, text FROM open_steps WHERE session_id = ? AND prompt_number = ?';
  const known = readAll<{ id: number; text: string }>(db, sql, turn.sessionId, turn.promptNumber);
  for (const { id, text } of known) if (!texts.delete(text)) db.query('DELETE FROM open_steps WHERE id = ?').run(id);
  const insert = db.query(
    `INSERT INTO open_steps (session_id, project_id, prompt_number, text, source, created_at_epoch)
     VALUES ($sessionId, $projectId, $promptNumber, $text, $source, $at)`,
  );
  for (const [text, source] of texts) insert.run({ ...turn, text, source });
}

/** Inside a transaction. */
export function closeStep(db: Database, id: number, by: TurnPlace & { how: ClosedHow; at: number }): void {
  const { sessionId, promptNumber, how, at } = by;
  db.query(
    `UPDATE open_steps SET closed_session_id = $sessionId, closed_prompt_number = $promptNumber, closed_how = $how,
       closed_at_epoch = $at WHERE id = $id`,
  ).run({ sessionId, promptNumber, how, at, id });
}

/** Before a turn is judged again, by rules or by a model: what they had closed is open. Inside a transaction. */
export function reopenSteps(db: Database, { sessionId, promptNumber }: TurnPlace, by: 'rules' | 'model' = 'rules'): void {
  db.query(
    `UPDATE open_steps SET closed_session_id = NULL, closed_prompt_number = NULL, closed_how = NULL, closed_at_epoch = NULL
     WHERE closed_session_id = ? AND closed_prompt_number = ? AND closed_how <> 'person' AND (closed_how = 'model') = ?`,
  ).run(sessionId, promptNumber, Number(by === 'model'));
}

/** Null when it is not there or closed. */
export const readOpenStep = (db: Database, id: number): { text: string } | null =>
  readFirst<{ text: string }>(db, 'SELECT text FROM open_steps WHERE id = ? AND closed_at_epoch IS NULL', id);

const hasHidden = (table: string) => `EXISTS (SELECT 1 FROM ${table} h
  WHERE h.session_id = s.session_id AND h.prompt_number = s.prompt_number AND h.hidden_at IS NOT NULL)`;

const OPEN = `open_steps s JOIN prompts p ON p.session_id = s.session_id AND p.prompt_number = s.prompt_number
  WHERE s.closed_at_epoch IS NULL AND p.hidden_at IS NULL AND p.private = 0
    AND ${trustedSession('s.session_id')} AND NOT ${hasHidden('observations')} AND NOT ${hasHidden('summaries')}`;
const OF_PROJECTS = 'AND s.project_id IN (SELECT value FROM json_each($projects))';

/** Null: of every project. */
export const countOpenSteps = (db: Database, projectIds: number[] | null): number =>
  countRows(db, `${OPEN} ${projectIds ? OF_PROJECTS : ''}`, projectIds ? { projects: JSON.stringify(projectIds) } : {});

/** A person says that it is done, or that it is not after all. Throws for a step that is not there. */
export function tickStep(db: Database, id: number, { isDone, at }: { isDone: boolean; at: number }): { text: string; isDone: boolean } {
  const step = db.query<TurnPlace & { text: string }, [number]>(
    'SELECT session_id AS sessionId, prompt_number AS promptNumber, text FROM open_steps WHERE id = ?',
  );
  const known = step.get(id);
  if (!known) throw new AskError('unknown', `There is no open step ${id}.`, 'It may be forgotten. Nothing was changed.');
  if (isDone) closeStep(db, id, { ...known, how: 'person', at });
  else
    db.query(
      `UPDATE open_steps SET closed_session_id = NULL, closed_prompt_number = NULL, closed_how = NULL, closed_at_epoch = NULL
       WHERE id = ? AND closed_how = 'person'`,
    ).run(id);
  return { text: known.text, isDone };
}

type OpenQuery = {
  /** Null: every project. */
  projectIds: number[] | null;
  /** Only what this one announced. */
  sessionId?: number;
  since?: number;
  until?: number;
  limit: number;
};

/**
 * The newest first. Not among them: what a distrusted session announced, and steps of a turn of which something is
 * hidden: they may say it.
 */
export function listOpenSteps(db: Database, { projectIds, sessionId, since, until, limit }: OpenQuery): StoredStep[] {
  const sql = `SELECT s.id, s.session_id AS sessionId, s.prompt_number AS promptNumber, s.text, s.source, s.created_at_epoch AS at,
      p.id AS prompt, (SELECT name FROM projects WHERE projects.id = s.project_id) AS project
    FROM ${OPEN} AND s.created_at_epoch BETWEEN $since AND $until ${projectIds ? OF_PROJECTS : ''}
      ${sessionId === undefined ? '' : 'AND s.session_id = $sessionId'}
    ORDER BY s.created_at_epoch DESC, s.id LIMIT $limit + 0`;
  return readAll<StoredStep & { prompt: number }>(db, sql, {
    since: since ?? 0,
    until: until ?? Number.MAX_SAFE_INTEGER,
    limit,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(projectIds ? { projects: JSON.stringify(projectIds) } : {}),
  }).map(({ prompt, ...step }) => ({ ...step, ref: formatRef({ kind: 'prompt', id: prompt }) }));
}
