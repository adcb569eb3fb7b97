// prompts: what the user asked, one row each; a wholly private one leaves an empty marker.
import type { Database } from 'bun:sqlite';
import { isoTime } from '../core/time.ts';
import { nextId } from '../memory/observations.ts';
import { addDocument, listUndocumented } from '../store/documents.ts';
import { exists, readAll, readColumn, readFirst, readValue } from '../store/read.ts';
import { BY_TIME } from './events.ts';

export type NewPrompt = {
  sessionId: number;
  promptNumber: number;
  promptId: string | null;
  text: string;
  isPrivate: boolean;
  at: number;
};

/** Its id. */
export function insertPrompt(db: Database, prompt: NewPrompt): number {
  const sql = `INSERT INTO prompts (id, session_id, prompt_number, prompt_id, text, private, created_at, created_at_epoch)
    VALUES (${nextId('prompts')}, $sessionId, $promptNumber, $promptId, $text, $isPrivate, $iso, $at)`;
  const { lastInsertRowid } = db.query(sql).run({ ...prompt, isPrivate: prompt.isPrivate ? 1 : 0, iso: isoTime(prompt.at) });
  const id = Number(lastInsertRowid);
  addDocument(db, { kind: 'prompt', id });
  return id;
}

/** `isOwn`: the event names it by its id. */
export type PromptPlace = { promptNumber: number; isPrivate: boolean; isOwn: boolean };

/**
 * The prompt an event belongs to: by its id where the agent gives one, else the latest of the session. An id that is not known yet
 * counts under the latest, but shares nothing of its privacy: the prompt itself is still on its way and will tell.
 * `at`: when it happened, where it did not come at once. Said while a turn ran, a prompt shares that turn's id, and time decides.
 */
export function findPrompt(db: Database, sessionId: number, promptId: string | null, at: number | null = null): PromptPlace | null {
  const find = (more: string, ...values: string[]) => {
    const sql = `SELECT id, prompt_number AS promptNumber, private, created_at_epoch AS at FROM prompts WHERE session_id = ? ${more}`;
    return readAll<Row>(db, sql, sessionId, ...values);
  };
  const byId = promptId ? choose(find('AND prompt_id = ?', promptId), at) : null;
  const isByTime = promptId === null && at !== null;
  const row = byId ?? (isByTime ? choose(find(''), at) : find('ORDER BY prompt_number DESC LIMIT 1')[0]);
  if (!row) return null;
  const isUnknownId = promptId !== null && byId === null;
  return { promptNumber: row.promptNumber, isPrivate: row.private === 1 && !isUnknownId, isOwn: byId !== null };
}

type Row = { id: number; promptNumber: number; private: number; at: number };

/** The last that was there by then. When none was, the order is not to be told, and one that is private speaks for all. */
function choose(rows: Row[], at: number | null): Row | null {
  const before = at === null ? rows : rows.filter((row) => row.at <= at);
  const isLater = (one: Row, other: Row) => (at !== null && one.at !== other.at ? one.at > other.at : one.id > other.id);
  const pick = (list: Row[]) => list.reduce<Row | null>((last, row) => (last && isLater(last, row) ? last : row), null);
  return pick(before) ?? rows.find((row) => row.private === 1) ?? pick(rows);
}

/** `after`, `until`: epoch ms. */
type Which = { isPrivate: boolean; promptId?: string; after?: number; until?: number };

export const hasPrompt = (db: Database, sessionId: number, { isPrivate, promptId, after, until }: Which): boolean => {
  const sql = `SELECT 1 FROM prompts WHERE session_id = $sessionId AND private = $isPrivate AND ($promptId IS NULL OR prompt_id = $promptId)
    AND ($after IS NULL OR created_at_epoch > $after) AND ($until IS NULL OR created_at_epoch <= $until) LIMIT 1`;
  return exists(db, sql, {
    sessionId,
    isPrivate: Number(isPrivate),
    promptId: promptId ?? null,
    after: after ?? null,
    until: until ?? null,
  });
};

/** In any session. */
export const isPrivatePromptId = (db: Database, promptId: string): boolean =>
  exists(db, 'SELECT 1 FROM prompts WHERE prompt_id = ? AND private = 1 LIMIT 1', promptId);

/** What was asked in a turn, as far as it may be told. */
export const promptText = (db: Database, { sessionId, promptNumber }: { sessionId: number; promptNumber: number }): string | null => {
  const sql = `SELECT text FROM prompts WHERE session_id = ? AND prompt_number = ? AND text <> '' AND hidden_at IS NULL`;
  return readValue(db, sql, sessionId, promptNumber);
};

/** What the user said in a session before a prompt, oldest first. */
export const listEarlierPrompts = (db: Database, sessionId: number, before: number, limit = 10): string[] => {
  const sql = `SELECT text FROM prompts WHERE session_id = ? AND prompt_number < ? AND text <> '' AND hidden_at IS NULL
    ORDER BY prompt_number DESC LIMIT ? + 0`;
  return readColumn<string>(db, sql, sessionId, before, limit).reverse();
};

/** What the user said right after a turn, as far as it may be told; null while they said nothing. */
export const nextPromptText = (db: Database, sessionId: number, after: number): string | null => {
  const sql = `SELECT CASE WHEN hidden_at IS NULL THEN nullif(text, '') END FROM prompts WHERE session_id = ? AND prompt_number > ?
    ORDER BY prompt_number LIMIT 1`;
  return readValue(db, sql, sessionId, after);
};

const BLANK = ' \n\r\t';

type NamedPrompt = { promptId: string; text: string; isPrivate: boolean };

/**
 * A prompt that its hook delivered without an id: from now on what follows it is known to belong to it. False when no prompt of the
 * session has that id, or waits for one.
 */
export function namePrompt(db: Database, sessionId: number, { promptId, text, isPrivate }: NamedPrompt): boolean {
  if (exists(db, 'SELECT 1 FROM prompts WHERE session_id = ? AND prompt_id = ?', sessionId, promptId)) return true;
  const sql = `UPDATE prompts SET prompt_id = $promptId WHERE id = (
    SELECT id FROM prompts WHERE session_id = $sessionId AND prompt_id IS NULL AND private = $isPrivate
      AND trim(text, $blank) = trim($text, $blank) ORDER BY id LIMIT 1)`;
  const { changes } = db.query(sql).run({ sessionId, promptId, text, isPrivate: Number(isPrivate), blank: BLANK });
  return changes > 0;
}

/** Whether it is the very same that comes again: one that is private looks like any other of its turn, but for its time. */
export const isPromptOf = (db: Database, sessionId: number, { promptId, at }: { promptId: string; at: number }): boolean => {
  const sql = 'SELECT 1 FROM prompts WHERE session_id = ? AND prompt_id = ? AND private = 1 AND created_at_epoch = ?';
  return exists(db, sql, sessionId, promptId, at);
};

type ArrivingPrompt = { promptId: string | null; text: string; isPrivate: boolean; at: number };

/** `id`: the row that waits for it; null when only its number is free. */
export type PromptSeat = { id: number | null; promptNumber: number };

/**
 * Which row a prompt takes that arrives after another store brought some of its session: its own, where that is there already.
 * Null when it comes after all others, as it mostly does. Before its event is stored: a row that has one waits for nobody.
 */
export const findSeat = (db: Database, sessionId: number, prompt: ArrivingPrompt): PromptSeat | null =>
  findWaiting(db, sessionId, prompt) ?? findGap(db, sessionId, prompt.at);

/** Two programs that heard the same prompt noted it within so long: the same words later are said again. */
const SAME_PROMPT_MS = 60_000;

function findWaiting(db: Database, sessionId: number, { promptId, text, isPrivate, at }: ArrivingPrompt): PromptSeat | null {
  // The agent gave it no id: it is known by its words and its time.
  const isNameless = promptId === null || promptId.startsWith(BY_TIME);
  const sql = `SELECT id, prompt_number AS promptNumber FROM prompts p WHERE session_id = $sessionId AND private = $isPrivate
      AND (prompt_id = $promptId OR ($isNameless OR prompt_id IS NULL OR prompt_id LIKE '${BY_TIME}%')
        AND ($isPrivate OR $text <> '' AND trim(text, $blank) = trim($text, $blank))
        AND abs(created_at_epoch - $at) <= ${SAME_PROMPT_MS})
      AND NOT EXISTS (SELECT 1 FROM events e WHERE e.session_id = p.session_id AND e.kind = 'prompt'
        AND e.prompt_number = p.prompt_number)
    ORDER BY prompt_id IS NOT $promptId, text <> $text, abs(created_at_epoch - $at), prompt_number LIMIT 1`;
  return readFirst<PromptSeat>(db, sql, {
    sessionId,
    promptId,
    text,
    at,
    blank: BLANK,
    isPrivate: Number(isPrivate),
    isNameless: Number(isNameless),
  });
}

/** The other store had not heard of it: its number is missing between what was said before and what was said after it. */
function findGap(db: Database, sessionId: number, at: number): PromptSeat | null {
  const sql = `SELECT coalesce(max(CASE WHEN created_at_epoch <= $at THEN prompt_number END), 0) AS before,
      min(CASE WHEN created_at_epoch > $at THEN prompt_number END) AS after
    FROM prompts WHERE session_id = $sessionId`;
  const around = readFirst<{ before: number; after: number | null }>(db, sql, { sessionId, at });
  if (!around || around.after === null || around.after - around.before < 2) return null;
  return { id: null, promptNumber: around.before + 1 };
}

/** What the agent calls it counts from now on: the tools of its turn name it so. */
export function takeSeat(db: Database, id: number, promptId: string | null): void {
  if (promptId !== null) db.query('UPDATE prompts SET prompt_id = ? WHERE id = ?').run(promptId, id);
}

type Numbered = { seq: number; kind: string; promptId: string | null; number: number };

/**
 * Numbers them once more in their order: one that is found late came before others. Their events, and what was made of them, follow.
 * To be called inside a transaction, when the events are in order.
 */
export function renumberPrompts(db: Database, sessionId: number): void {
  const sql = `SELECT seq, kind, prompt_id AS promptId, prompt_number AS number FROM events WHERE session_id = ? ORDER BY seq`;
  const events = readAll<Numbered>(db, sql, sessionId);
  const prompts = events.filter(({ kind }) => kind === 'prompt');
  const numbers = new Map(prompts.map(({ number }, at) => [number, at + 1]));
  if (numbers.size !== prompts.length || !isAllOf(db, sessionId, numbers)) return;
  const isMoved = [...numbers].some(([before, after]) => before !== after);
  const isChanged = numberEvents(db, events);
  if (isMoved) movePrompts(db, sessionId, numbers);
  if (isMoved || isChanged) followEvents(db, sessionId);
}

/** What came without events, from another program or machine, has an order of its own. */
function isAllOf(db: Database, sessionId: number, numbers: Map<number, number>): boolean {
  const rows = readColumn<number>(db, 'SELECT prompt_number FROM prompts WHERE session_id = ?', sessionId);
  return rows.length === numbers.size && rows.every((number) => numbers.has(number));
}

/** Each event belongs to the latest prompt before it that has its id; without one, to the latest of all. */
function numberEvents(db: Database, events: Numbered[]): boolean {
  const latest = new Map<string | null, number>();
  const first = new Map<string | null, number>();
  const own = events.filter(({ kind }) => kind === 'prompt');
  for (const [at, { promptId }] of own.entries()) if (!first.has(promptId)) first.set(promptId, at + 1);
  const set = db.query('UPDATE events SET prompt_number = ? WHERE seq = ?');
  let counter = 0;
  let isChanged = false;
  for (const { seq, kind, promptId, number } of events) {
    if (kind === 'prompt') latest.set(promptId, ++counter);
    const mine = promptId === null ? counter : (latest.get(promptId) ?? first.get(promptId) ?? counter);
    const wanted = kind === 'prompt' ? counter : mine;
    if (wanted === number) continue;
    set.run(wanted, seq);
    isChanged = true;
  }
  return isChanged;
}

function movePrompts(db: Database, sessionId: number, numbers: Map<number, number>): void {
  // A prompt is indexed with the record of its number: while the two move, nobody could say which words to take out.
  db.query('DELETE FROM documents WHERE session_id = ?').run(sessionId);
  // Two steps, for no two may have one number in between.
  // What another store brought has no turn of ours to follow: it goes with its prompt.
  const owned = [
    ['prompts', ''],
    ['turns', ''],
    ['observations', 'AND batch_id IS NULL'],
    ['summaries', 'AND batch_id IS NULL'],
  ] as const;
  for (const [table, own] of owned) {
    const leave = db.query(`UPDATE ${table} SET prompt_number = -?3 WHERE session_id = ?1 AND prompt_number = ?2 ${own}`);
    for (const [before, after] of numbers) leave.run(sessionId, before, after);
    db.query(`UPDATE ${table} SET prompt_number = -prompt_number WHERE session_id = ? AND prompt_number < 0`).run(sessionId);
  }
  for (const ref of listUndocumented(db, sessionId, Number.MAX_SAFE_INTEGER)) addDocument(db, ref);
  const sql = `UPDATE sessions SET first_prompt = (SELECT text FROM prompts WHERE session_id = ?1 AND text <> '' AND hidden_at IS NULL
    ORDER BY prompt_number LIMIT 1) WHERE id = ?1`;
  db.query(sql).run(sessionId);
}

/** A turn has the number of its last event; what was made of it has the turn's. */
function followEvents(db: Database, sessionId: number): void {
  const sql = `UPDATE batches SET prompt_number = coalesce((SELECT e.prompt_number FROM events e WHERE e.batch_id = batches.id
    ORDER BY e.kind IN ('stop','end') DESC, e.seq DESC LIMIT 1), prompt_number) WHERE session_id = ?`;
  db.query(sql).run(sessionId);
  for (const table of ['observations', 'summaries'])
    db.query(
      `UPDATE ${table} SET prompt_number = (SELECT prompt_number FROM batches WHERE id = ${table}.batch_id)
       WHERE session_id = ? AND batch_id IS NOT NULL`,
    ).run(sessionId);
}
