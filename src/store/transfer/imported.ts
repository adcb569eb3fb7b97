// Memories that another program made: which of them are here already, and where the others go.
import type { Database } from 'bun:sqlite';
import type { MemoryRef } from '../../core/memory.ts';
import { joinTexts } from '../join-texts.ts';
import { insertPrompt } from '../sessions/prompts.ts';
import { isoTime } from '../time.ts';

export type ImportedSession = {
  host: string;
  hostSessionId: string;
  projectId: number;
  /** Of its project; '' when nobody knows it. */
  root: string;
  title: string | null;
  startedAt: number;
  completedAt: number | null;
};

/** False when it is known: then it stays as it is. It is over: whatever a hook still brings of it opens it again. */
export function insertImportedSession(db: Database, session: ImportedSession): boolean {
  const { startedAt, completedAt, root } = session;
  const updatedAt = Math.max(startedAt, completedAt ?? 0);
  const { changes } = db
    .query(
      `INSERT OR IGNORE INTO sessions (host, host_session_id, project_id, cwd, root, title, started_at, started_at_epoch,
         updated_at, updated_at_epoch, completed_at, completed_at_epoch, end_reason, status)
       VALUES ($host, $hostSessionId, $projectId, $root, $root, $title, $started, $startedAt, $updated, $updatedAt,
         $completed, $completedAt, $endReason, $status)`,
    )
    .run({
      ...session,
      root,
      started: isoTime(startedAt),
      updatedAt,
      updated: isoTime(updatedAt),
      completed: completedAt === null ? null : isoTime(completedAt),
      endReason: completedAt === null ? null : 'import',
      status: completedAt === null ? 'interrupted' : 'completed',
    });
  return changes > 0;
}

/** Hooks or a transcript told of it here. */
export const wasCaptured = (db: Database, sessionId: number): boolean =>
  db.query('SELECT 1 FROM events WHERE session_id = ? LIMIT 1').get(sessionId) !== null;

/** Something happened in it then. What it is doing now is not for an import to say. */
export function stretchSession(db: Database, id: number, at: number): void {
  db.query(
    `UPDATE sessions SET updated_at = $iso, updated_at_epoch = $at WHERE id = $id AND updated_at_epoch < $at
       AND status IN ('completed','interrupted')`,
  ).run({ id, at, iso: isoTime(at) });
}

export type ImportedPrompt = {
  sessionId: number;
  /** As the other program counted; null when it did not. */
  promptNumber: number | null;
  text: string;
  isPrivate: boolean;
  at: number;
};

/** Two programs that heard the same prompt noted it within so long. */
const SAME_PROMPT_MS = 60_000;

export function hasPrompt(db: Database, { sessionId, text, isPrivate, at }: ImportedPrompt): boolean {
  return (
    db
      .query(
        `SELECT 1 FROM prompts WHERE session_id = $sessionId AND abs(created_at_epoch - $at) <= ${SAME_PROMPT_MS}
           AND (text = $text OR trim(text, $blank) = trim($text, $blank)) AND private = $isPrivate LIMIT 1`,
      )
      .get({ sessionId, text, at, isPrivate: Number(isPrivate), blank: ' \n\r\t' }) !== null
  );
}

/** By its own number where that is free, else after all others. */
export function insertImportedPrompt(db: Database, prompt: ImportedPrompt): void {
  const { sessionId, text } = prompt;
  const promptNumber = freeNumber(db, sessionId, prompt.promptNumber);
  insertPrompt(db, { ...prompt, promptNumber, promptId: null });
  db.query(
    `UPDATE sessions SET prompt_counter = max(prompt_counter, $promptNumber),
       first_prompt = coalesce(first_prompt, nullif($text, '')) WHERE id = $sessionId`,
  ).run({ sessionId, promptNumber, text });
}

function freeNumber(db: Database, sessionId: number, wanted: number | null): number {
  const isTaken = (number: number) =>
    db.query('SELECT 1 FROM prompts WHERE session_id = ? AND prompt_number = ?').get(sessionId, number) !== null;
  if (wanted !== null && wanted <= MOST_PROMPTS && !isTaken(wanted)) return wanted;
  const row = db
    .query<{ last: number }, [{ id: number }]>(
      `SELECT max(s.prompt_counter, coalesce((SELECT max(prompt_number) FROM prompts WHERE session_id = $id), 0)) AS last
       FROM sessions s WHERE s.id = $id`,
    )
    .get({ id: sessionId });
  return (row?.last ?? 0) + 1;
}

/** A number beyond is a slip of whoever counted. */
const MOST_PROMPTS = 1_000_000;

export type TurnPlace = { promptNumber: number; isPrivate: boolean };

/**
 * The turn that a memory of another program belongs to: the prompt of that number if it was said before, else the last one before it.
 * Private when either is: the other program noted it late, or counted otherwise.
 */
export function findTurn(db: Database, sessionId: number, number: number | null, at: number): TurnPlace {
  type Found = { promptNumber: number; private: number };
  const byTime = db
    .query<Found, [number, number]>(
      `SELECT prompt_number AS promptNumber, private FROM prompts WHERE session_id = ? AND created_at_epoch <= ?
       ORDER BY created_at_epoch DESC, prompt_number DESC LIMIT 1`,
    )
    .get(sessionId, at);
  const byNumber =
    number === null
      ? null
      : db
          .query<Found, [number, number]>(
            'SELECT prompt_number AS promptNumber, private FROM prompts WHERE session_id = ? AND prompt_number = ?',
          )
          .get(sessionId, number);
  return {
    promptNumber: (byNumber ?? byTime)?.promptNumber ?? number ?? 0,
    isPrivate: byTime?.private === 1 || byNumber?.private === 1,
  };
}

/** Any one: a session is known by it. */
export function findOneMemory(db: Database, sessionId: number): MemoryRef | null {
  return db
    .query<MemoryRef, [number]>(
      `SELECT * FROM (SELECT 'summary' AS kind, id FROM summaries WHERE session_id = ?1 LIMIT 1)
       UNION ALL SELECT * FROM (SELECT 'observation', id FROM observations WHERE session_id = ?1 LIMIT 1)
       UNION ALL SELECT * FROM (SELECT 'prompt', id FROM prompts WHERE session_id = ?1 AND text <> '' LIMIT 1) LIMIT 1`,
    )
    .get(sessionId);
}

/** What a session has of one kind, for whoever looks for something like it. `isOwn`: distilled here, from what happened. */
export type Kept = { title: string; text: string; rest: string; at: number; isOwn: boolean };

const KEPT = {
  observation: `SELECT coalesce(title, '') AS title, coalesce(narrative, '') AS text, ${joinTexts('subtitle, facts', "' '")} AS rest,
    created_at_epoch AS at, batch_id IS NOT NULL AS isOwn FROM observations WHERE session_id = ?`,
  summary: `SELECT coalesce(request, '') AS title, ${joinTexts('investigated, learned, completed', "' '")} AS text,
    ${joinTexts('next_steps, notes', "' '")} AS rest, created_at_epoch AS at, batch_id IS NOT NULL AS isOwn
    FROM summaries WHERE session_id = ?`,
};

export function listKept(db: Database, kind: keyof typeof KEPT, sessionId: number): Kept[] {
  return db
    .query<Omit<Kept, 'isOwn'> & { isOwn: number }, [number]>(KEPT[kind])
    .all(sessionId)
    .map((row) => ({ ...row, isOwn: row.isOwn === 1 }));
}
