// prompts: what the user asked, one row each; a wholly private one leaves an empty marker.
import type { Database } from 'bun:sqlite';
import { addDocument } from '../index/documents.ts';
import { nextId } from '../memories/next-id.ts';
import { isoTime } from '../time.ts';

export type NewPrompt = {
  sessionId: number;
  promptNumber: number;
  promptId: string | null;
  text: string;
  isPrivate: boolean;
  at: number;
};

export function insertPrompt(db: Database, prompt: NewPrompt): void {
  const { lastInsertRowid } = db
    .query(
      `INSERT INTO prompts (id, session_id, prompt_number, prompt_id, text, private, created_at, created_at_epoch)
     VALUES (${nextId('prompts')}, $sessionId, $promptNumber, $promptId, $text, $isPrivate, $iso, $at)`,
    )
    .run({ ...prompt, isPrivate: prompt.isPrivate ? 1 : 0, iso: isoTime(prompt.at) });
  addDocument(db, { kind: 'prompt', id: Number(lastInsertRowid) });
}

export type PromptPlace = {
  promptNumber: number;
  isPrivate: boolean;
  /** The event names it by its id. */
  isOwn: boolean;
};

/**
 * The prompt an event belongs to: by its id where the host gives one, else the latest of the session. An id that is not known yet
 * counts under the latest, but shares nothing of its privacy: the prompt itself is still on its way and will tell.
 * `at`: when it happened, where it did not come at once. Said while a turn ran, a prompt shares that turn's id, and time decides.
 */
export function findPrompt(
  db: Database,
  sessionId: number,
  promptId: string | null,
  at: number | null = null,
): PromptPlace | null {
  const byId = promptId
    ? choose(
        db.query<Row, [number, string]>(`${SELECT} WHERE session_id = ? AND prompt_id = ?`).all(sessionId, promptId),
        at,
      )
    : null;
  const isByTime = promptId === null && at !== null;
  const row =
    byId ??
    (isByTime
      ? choose(db.query<Row, [number]>(`${SELECT} WHERE session_id = ?`).all(sessionId), at)
      : db.query<Row, [number]>(`${SELECT} WHERE session_id = ? ORDER BY prompt_number DESC LIMIT 1`).get(sessionId));
  if (!row) return null;
  const isUnknownId = promptId !== null && byId === null;
  return { promptNumber: row.promptNumber, isPrivate: row.private === 1 && !isUnknownId, isOwn: byId !== null };
}

/** The last that was there by then. When none was, the order is not to be told, and one that is private speaks for all. */
function choose(rows: Row[], at: number | null): Row | null {
  const before = at === null ? rows : rows.filter((row) => row.at <= at);
  const isLater = (one: Row, other: Row) =>
    at !== null && one.at !== other.at ? one.at > other.at : one.id > other.id;
  const pick = (list: Row[]) => list.reduce<Row | null>((last, row) => (last && isLater(last, row) ? last : row), null);
  return pick(before) ?? rows.find((row) => row.private === 1) ?? pick(rows);
}

/** In any session. */
export function isPrivatePromptId(db: Database, promptId: string): boolean {
  return db.query('SELECT 1 FROM prompts WHERE prompt_id = ? AND private = 1 LIMIT 1').get(promptId) !== null;
}

export function hasPublicPrompt(db: Database, sessionId: number, promptId: string): boolean {
  return (
    db
      .query('SELECT 1 FROM prompts WHERE session_id = ? AND prompt_id = ? AND private = 0 LIMIT 1')
      .get(sessionId, promptId) !== null
  );
}

/** After a moment and up to another, epoch ms. */
export function hasPublicPromptAt(db: Database, sessionId: number, after: number, until: number): boolean {
  const find =
    'SELECT 1 FROM prompts WHERE session_id = ? AND private = 0 AND created_at_epoch > ? AND created_at_epoch <= ? LIMIT 1';
  return db.query(find).get(sessionId, after, until) !== null;
}

export function hasPrivatePrompt(db: Database, sessionId: number): boolean {
  return db.query('SELECT 1 FROM prompts WHERE session_id = ? AND private = 1 LIMIT 1').get(sessionId) !== null;
}

/** What was asked in a turn, as far as it may be told. */
export function promptText(
  db: Database,
  { sessionId, promptNumber }: { sessionId: number; promptNumber: number },
): string | null {
  return (
    db
      .query<{ text: string }, [number, number]>(
        `SELECT text FROM prompts WHERE session_id = ? AND prompt_number = ? AND text <> '' AND hidden_at IS NULL`,
      )
      .get(sessionId, promptNumber)?.text ?? null
  );
}

/** What the user said in a session before a prompt, oldest first. */
export function listEarlierPrompts(db: Database, sessionId: number, before: number, limit = 10): string[] {
  return db
    .query<{ text: string }, [number, number, number]>(
      `SELECT text FROM prompts WHERE session_id = ? AND prompt_number < ? AND text <> '' AND hidden_at IS NULL
       ORDER BY prompt_number DESC LIMIT ?`,
    )
    .all(sessionId, before, limit)
    .map(({ text }) => text)
    .reverse();
}

/** What the user said right after a turn, as far as it may be told; null while they said nothing. */
export function nextPromptText(db: Database, sessionId: number, after: number): string | null {
  const next = db
    .query<{ text: string; hiddenAt: string | null }, [number, number]>(
      'SELECT text, hidden_at AS hiddenAt FROM prompts WHERE session_id = ? AND prompt_number > ? ORDER BY prompt_number LIMIT 1',
    )
    .get(sessionId, after);
  return next && next.hiddenAt === null && next.text !== '' ? next.text : null;
}

type Row = { id: number; promptNumber: number; private: number; at: number };
const SELECT = 'SELECT id, prompt_number AS promptNumber, private, created_at_epoch AS at FROM prompts';
