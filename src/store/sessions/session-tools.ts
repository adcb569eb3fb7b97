// What the agent did in the turns of a session: which tool, on what, and which memories came of it. Never what it gave or got.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { Action, ToolEvent } from '../../core/event.ts';
import { subjectOf } from '../../core/event-subject.ts';
import type { SessionTool } from '../../core/session.ts';
import { scrubSecrets } from '../../secrets/scrub.ts';

/** Turns of a session, as a JSON list. */
export type TurnsOf = { sessionId: number; turns: string };

export type TurnTools = { tools: SessionTool[]; moreTools: number };

const MOST_TOOLS = 200;

/** By turn, in the order of arrival. */
export function listTurnTools(db: Database, page: TurnsOf): Map<number, TurnTools> {
  const rests = listResting(db, page);
  const turns = new Map<number, TurnTools>();
  for (const row of listRows(db, page)) {
    const turn = turns.get(row.turn) ?? { tools: [], moreTools: Math.max(0, row.total - MOST_TOOLS) };
    turn.tools.push(fromRow(row, rests.get(row.id)));
    turns.set(row.turn, turn);
  }
  return turns;
}

type ToolRow = {
  id: string;
  turn: number;
  total: number;
  at: number;
  status: SessionTool['status'];
  root: string;
  tool: string | null;
  isError: number;
  type: Action['type'] | null;
  file: string | null;
  words: string | null;
};

/** No more of a payload is read than one line needs, whatever is in it. */
const WORDS = 1000;

const listRows = (db: Database, page: TurnsOf): ToolRow[] =>
  db
    .query<ToolRow, [TurnsOf]>(
      `SELECT e.id, e.prompt_number AS turn, place.total, e.created_at_epoch AS at, s.root,
         CASE e.status WHEN 'claimed' THEN 'pending' ELSE e.status END AS status,
         json_extract(e.payload, '$.tool') AS tool, coalesce(json_extract(e.payload, '$.error'), '') <> '' AS isError,
         json_extract(e.payload, '$.action.type') AS type, json_extract(e.payload, '$.action.file') AS file,
         substr(coalesce(json_extract(e.payload, '$.action.command'), json_extract(e.payload, '$.action.query'),
           json_extract(e.payload, '$.action.target'), json_extract(e.payload, '$.action.description'),
           json_extract(e.payload, '$.action.answers[0].question'), json_extract(e.payload, '$.action.text')), 1, ${WORDS}) AS words
       FROM (SELECT seq, row_number() OVER turn AS number, count(*) OVER (PARTITION BY prompt_number) AS total
             FROM events WHERE session_id = $sessionId AND kind = 'tool'
               AND prompt_number IN (SELECT value FROM json_each($turns))
             WINDOW turn AS (PARTITION BY prompt_number ORDER BY seq)) place
         JOIN events e ON e.seq = place.seq JOIN sessions s ON s.id = e.session_id
       WHERE place.number <= ${MOST_TOOLS} ORDER BY e.seq`,
    )
    .all(page);

type Resting = { ids: string[]; isHidden: boolean };

function fromRow(row: ToolRow, { ids, isHidden }: Resting = { ids: [], isHidden: false }): SessionTool {
  const { id, tool, at, status, isError } = row;
  const subject = isHidden ? null : readSubject(row);
  return { id, tool, subject, at, status, isError: isError === 1, observations: ids };
}

function readSubject({ type, file, words, root }: ToolRow): string | null {
  if (type === null) return null;
  // It was scrubbed at the door; what a newer rule finds must not leave either.
  const text = words === null ? null : scrubSecrets(words).text;
  const [command, query, target, description] = [text, text, text, text];
  const action = { type, file, command, query, target, description, text, answers: [{ question: text }] };
  // Of each kind of action only the field that names its subject is read.
  return subjectOf({ kind: 'tool', action } as unknown as ToolEvent, root);
}

const Ids = z.array(z.string()).catch([]);

/** What came of an event, by the id of the event; `isHidden` when somebody wants some of that to be forgotten. */
function listResting(db: Database, page: TurnsOf): Map<string, Resting> {
  const rows = db
    .query<{ id: number; sources: string; isHidden: number }, [TurnsOf]>(
      `SELECT id, sources, hidden_at IS NOT NULL AS isHidden FROM observations
       WHERE session_id = $sessionId AND coalesce(prompt_number, 0) IN (SELECT value FROM json_each($turns)) ORDER BY id`,
    )
    .all(page);
  const resting = new Map<string, Resting>();
  for (const { id, sources, isHidden } of rows)
    for (const source of Ids.parse(JSON.parse(sources))) {
      const known = resting.get(source) ?? { ids: [], isHidden: false };
      if (isHidden) known.isHidden = true;
      else known.ids.push(String(id));
      resting.set(source, known);
    }
  return resting;
}
