// Where else the text of a memory stands: raw events, titles, answers, reasons. And whether a living memory says it, too.
import type { Database } from 'bun:sqlite';
import type { MemoryRef } from '../core/memory.ts';
import type { Pieces } from '../core/same-words.ts';
import { exists, joinTexts, readAll, readValue } from '../store/read.ts';
import { type NamedEvent, nameEvent } from '../store/tombstones.ts';

/** `except`: a memory that does not count. `ownTurns`: prompts whose records do not count, only their own words. */
type Apart = { except?: MemoryRef; ownTurns?: readonly number[] };

/** Whether any memory that can be found says this, but for some. */
export function isSaid(db: Database, piece: string, { except, ownTurns = [] }: Apart = {}): boolean {
  const sql = 'SELECT d.kind, d.ref FROM words JOIN documents d ON d.id = words.rowid WHERE words MATCH ? LIMIT ? + 0';
  const rows = readAll<{ kind: string; ref: number }>(db, sql, ownWords(piece), 2 + ownTurns.length);
  return rows.some(({ kind, ref }) => {
    if (kind === except?.kind && ref === except.id) return false;
    return kind !== 'prompt' || !ownTurns.includes(ref) || asks(db, ref, piece);
  });
}

const asks = (db: Database, promptId: number, piece: string): boolean =>
  readValue<string>(db, 'SELECT text FROM prompts WHERE id = ?', promptId)?.toLowerCase().includes(piece.toLowerCase()) === true;

/** Not what is said around a memory: that is said by another. */
export const ownWords = (piece: string) => `- neighbours : "${piece.replaceAll('"', '""')}"`;

type Traces = {
  sources: string[];
  batchIds: number[];
  sessionIds: number[];
  prompts: MemoryRef[];
  /** Records of which something goes: whatever else was used of their events goes, too, or they would be made of it again. */
  turns: Turn[];
  /** Turns that go as a whole, with what waits. */
  wholeTurns: Turn[];
  pieces: Pieces;
};

type Turn = { sessionId: number; promptNumber: number };

/** How many pieces the events of all other sessions are searched for: each costs a look at every payload. */
const FAR_PIECES = 6;

export type Wiped = {
  eventIds: string[];
  /** By what they are known again, and those whose payload had gone before. */
  names: string[];
  batchIds: number[];
  /** What was said at the end of their turns. */
  closings: string[];
};

/** The rows of events stay, without their payload: so the same tool use in a forked session is still known. */
export function wipeTraces(db: Database, traces: Traces): Wiped {
  const { sources, batchIds, sessionIds, prompts, turns, wholeTurns, pieces } = traces;
  const { telling, words } = pieces;
  const wiped = [
    ...wipeEvents(db, 'id IN (SELECT value FROM json_each($list))', { list: JSON.stringify(sources) }),
    // All of its turn: whatever the model or the rules wrote may stand in any of its events.
    ...wipeEvents(db, 'batch_id IN (SELECT value FROM json_each($list))', { list: JSON.stringify(batchIds) }),
    ...prompts.flatMap(({ id }) => wipeEvents(db, PROMPT_EVENT, { id })),
    ...turns.flatMap((turn) => wipeEvents(db, `${IN_TURN} AND status NOT IN ('pending','claimed')`, turn)),
    ...wholeTurns.flatMap((turn) => wipeEvents(db, IN_TURN, turn)),
    ...sessionIds.flatMap((id) => wipeEvents(db, IN_SESSION, { session: id, ...asLists(pieces) })),
    ...telling.slice(0, FAR_PIECES).flatMap((piece) => wipeEvents(db, ANYWHERE, { piece })),
  ];
  wipeTexts(db, telling);
  for (const piece of words) for (const id of sessionIds) for (const sql of TITLES) db.query(sql).run({ piece, id });
  const said = wiped.filter(({ hadPayload }) => hadPayload === 1);
  return {
    eventIds: [...new Set(said.map(({ id }) => id))],
    names: [...new Set(wiped.flatMap((event) => [event.id, ...nameEvent(event)]))],
    batchIds: [...new Set(said.flatMap(({ batchId }) => batchId ?? []))],
    closings: said.flatMap(({ closing }) => closing ?? []),
  };
}

const PROMPT_EVENT = `kind = 'prompt' AND EXISTS (SELECT 1 FROM prompts p WHERE p.id = $id
  AND p.session_id = events.session_id AND p.prompt_number = events.prompt_number)`;
const IN_TURN = 'session_id = $sessionId AND prompt_number = $promptNumber';
/** One piece that tells, or two words. */
const IN_SESSION = `session_id = $session AND payload IS NOT NULL AND (
  EXISTS (SELECT 1 FROM json_each($telling) WHERE instr(lower(payload), value))
  OR (SELECT count(*) FROM json_each($words) WHERE instr(lower(payload), value)) >= 2)`;
/** What was made of them does not say it any more; what still waits to be distilled is news. */
const ANYWHERE = "payload IS NOT NULL AND status <> 'pending' AND instr(payload, $piece) > 0";

const asLists = ({ telling, words }: Pieces) => ({
  telling: JSON.stringify(telling.map((piece) => piece.toLowerCase())),
  words: JSON.stringify(words.map((piece) => piece.toLowerCase())),
});

type WipedEvent = NamedEvent & {
  seq: number;
  id: string;
  batchId: number | null;
  closing: string | null;
  hadPayload: number;
};

function wipeEvents(db: Database, where: string, values: Record<string, string | number>): WipedEvent[] {
  const sql = `SELECT seq, id, batch_id AS batchId, kind, prompt_id AS promptId, tool_use_id AS toolUseId,
      (SELECT host_session_id FROM sessions WHERE id = events.session_id) AS session,
      CASE WHEN kind = 'prompt' THEN coalesce(json_extract(payload, '$.text'), '') ELSE '' END AS text,
      CASE WHEN kind IN ('stop','subagent') THEN json_extract(payload, '$.message') END AS closing,
      payload IS NOT NULL AS hadPayload
    FROM events WHERE ${where}`;
  const found = readAll<WipedEvent>(db, sql, values);
  db.query(
    `UPDATE events SET payload = NULL, error = NULL,
       status = CASE WHEN status IN ('pending','claimed') THEN 'skipped' ELSE status END
     WHERE seq IN (SELECT value FROM json_each(?))`,
  ).run(JSON.stringify(found.map(({ seq }) => seq)));
  return found;
}

/** Pieces that nobody says any more. Inside a transaction. */
export function wipeTexts(db: Database, telling: string[]): void {
  for (const piece of telling) for (const sql of TEXTS) db.query(sql).run({ piece });
}

/** Nobody says it any more, so whatever holds it was made of what is gone. */
const TEXTS = [
  ...['title', 'subtitle', 'first_prompt'].map((column) => blank('sessions', column)),
  ...['answer', 'error'].map((column) => blank('model_calls', column)),
  blank('batches', 'reason'),
  blank('events', 'error'),
  blank('injections', 'text'),
  blank('tellings', 'about'),
  blank('replacements', 'words'),
  "UPDATE injections SET reason = '' WHERE reason LIKE '%' || $piece || '%'",
  "DELETE FROM bad_inputs WHERE head LIKE '%' || $piece || '%'",
  "DELETE FROM open_steps WHERE text LIKE '%' || $piece || '%'",
];

/** A common word tells nothing by itself, but its own session is called after what is gone. */
const TITLES = [
  ...['title', 'subtitle', 'first_prompt'].map((column) => `${blank('sessions', column)} AND id = $id`),
  `${blank('injections', 'text')} AND listed_session_id = $id`,
  "DELETE FROM open_steps WHERE text LIKE '%' || $piece || '%' AND session_id = $id",
  `${blank('replacements', 'words')} AND (
     (newer_kind = 'prompt' AND newer_id IN (SELECT id FROM prompts WHERE session_id = $id))
     OR (newer_kind = 'observation' AND newer_id IN (SELECT id FROM observations WHERE session_id = $id)))`,
];

function blank(table: string, column: string): string {
  return `UPDATE ${table} SET ${column} = NULL WHERE ${column} LIKE '%' || $piece || '%'`;
}

/** Rows that have their own reason to say it: other memories, waiting or other events, names of folders, our own schema. */
const LIVING = [
  'SELECT 1 FROM sqlite_schema WHERE instr(lower(sql), $piece) LIMIT 1',
  `SELECT 1 FROM projects WHERE instr(lower(${joinTexts('key, name, root, remote')}), $piece) LIMIT 1`,
  'SELECT 1 FROM project_aliases WHERE instr(lower(key), $piece) LIMIT 1',
  `SELECT 1 FROM sessions
    WHERE instr(lower(${joinTexts('host_session_id, cwd, root, branch, title, subtitle, first_prompt')}), $piece) LIMIT 1`,
  'SELECT 1 FROM counters WHERE instr(lower(name), $piece) LIMIT 1',
  'SELECT 1 FROM events WHERE payload IS NOT NULL AND instr(lower(payload), $piece) LIMIT 1',
  'SELECT 1 FROM prompts WHERE instr(lower(text), $piece) LIMIT 1',
  'SELECT 1 FROM turns WHERE instr(lower(record), $piece) LIMIT 1',
  `SELECT 1 FROM summaries
    WHERE instr(lower(${joinTexts('request, investigated, learned, completed, next_steps, notes, files_read, files_edited')}), $piece)
    LIMIT 1`,
  `SELECT 1 FROM observations
    WHERE instr(lower(${joinTexts('title, subtitle, narrative, facts, concepts, keywords, files_read, files_modified')}), $piece)
    LIMIT 1`,
];

/** A look at every row: only for what was found in the file. */
export const hasLivingReason = (db: Database, piece: string) => LIVING.some((sql) => exists(db, sql, { piece: piece.toLowerCase() }));
