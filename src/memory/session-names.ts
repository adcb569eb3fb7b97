// What a session is called: it must not tell what is hidden or said otherwise now, and is made anew when that is shown again.

import type { Database } from 'bun:sqlite';
import { formatRef, type MemoryRef } from '../core/memory.ts';
import { findPieces, type Pieces } from '../core/same-words.ts';
import { bareWords, oneLine } from '../core/text.ts';
import { joinTexts, readAll, readFirst } from '../store/read.ts';
import { listHiddenRefs } from './lists.ts';
import { readTexts } from './read.ts';
import { isSaid } from './traces.ts';
import { holds } from './trusted.ts';
import { listTurnPrompts } from './turn-keys.ts';

const COLUMNS = ['title', 'subtitle', 'first_prompt'] as const;

/** Call it when all of them are hidden: what a memory that is shown says as well may stay. Inside a transaction. */
export function blankSessionWords(db: Database, refs: MemoryRef[]): void {
  for (const { ref, session, title, texts } of readTexts(db, [...refs, ...listHiddenBeside(db, refs)]))
    blankWords(db, { ref, session }, [...(title === null ? [] : [title]), ...texts]);
}

/** What a memory of this session has said until now and says no more. Inside a transaction. */
export function renameSession(db: Database, ref: MemoryRef, unsaid: string[]): void {
  const [own] = readTexts(db, [ref]);
  if (!own || unsaid.length === 0) return;
  blankWords(db, own, unsaid);
  restoreSessionWords(db, [ref]);
}

type Sayer = { ref: MemoryRef; session: string | null };

function blankWords(db: Database, { ref, session }: Sayer, said: string[]): void {
  const pieces = unsaid(db, findPieces(said), listTurnPrompts(db, [ref]));
  const whole = said.map(bareWords);
  for (const row of listNamed(db, session, pieces))
    for (const column of COLUMNS) {
      const isOwn = row.session === session;
      if (row[column] !== null && repeats(row[column], isOwn, { ...pieces, whole }))
        db.query(`UPDATE sessions SET ${column} = NULL WHERE id = ?`).run(row.id);
    }
}

/** What was hidden before in the same sessions: what was said by one of these as well is now said by none. */
function listHiddenBeside(db: Database, refs: MemoryRef[]): MemoryRef[] {
  const hidden = listHiddenRefs(db);
  const own = new Set(refs.map(formatRef));
  const sessions = new Set(hidden.flatMap((ref) => (own.has(formatRef(ref)) ? (ref.sessionId ?? []) : [])));
  return hidden.filter((ref) => ref.sessionId !== null && sessions.has(ref.sessionId) && !own.has(formatRef(ref)));
}

/** The record of its own turn is nobody else who says it. */
function unsaid(db: Database, { telling, words }: Pieces, ownTurns: number[]): Pieces {
  const isAlone = (piece: string) => !isSaid(db, piece, { ownTurns });
  return { telling: telling.filter(isAlone), words: words.filter(isAlone) };
}

type Named = { id: number; session: string } & Record<(typeof COLUMNS)[number], string | null>;

/** Its own session, and every other that is called by something that tells. */
function listNamed(db: Database, session: string | null, { telling }: Pieces): Named[] {
  const sql = `SELECT id, host_session_id AS session, title, subtitle, first_prompt FROM sessions
    WHERE host_session_id = ?1 OR EXISTS (SELECT 1 FROM json_each(?2)
      WHERE instr(lower(${joinTexts('title, subtitle, first_prompt')}), value))`;
  return readAll<Named>(db, sql, session, JSON.stringify(telling.map((piece) => piece.toLowerCase())));
}

/** A common word tells nothing by itself, but a session is called after what happened in it. */
function repeats(name: string, isOwn: boolean, { telling, words, whole }: Pieces & { whole: string[] }): boolean {
  const lower = name.toLowerCase();
  const isHere = (piece: string) => lower.includes(piece.toLowerCase());
  if (telling.some(isHere)) return true;
  if (!isOwn) return false;
  const bare = bareWords(name);
  return words.some(isHere) || whole.some((text) => isWithin(bare, text) || isWithin(text, bare));
}

/** `yes` is within very much. */
const isWithin = (part: string, text: string) => part === text || (part.length >= 8 && text.includes(part));

/**
 * By the work that holds and that nothing even may replace, the most of it first: what was asked first names it only
 * until something is made. A name for all of it by a model stays. Inside a transaction.
 */
export function nameByWork(db: Database, sessionId: number): void {
  const isNamed = db.query("SELECT 1 FROM batches WHERE session_id = ? AND observer = 'model' AND status = 'done' LIMIT 1");
  if (isNamed.get(sessionId) !== null) return;
  const title = readWork(db, sessionId);
  if (title !== null) db.query('UPDATE sessions SET title = ?1 WHERE id = ?2 AND title IS NOT ?1').run(title, sessionId);
}

const LONGEST_TITLE = 110;
/** With every turn: the cost must not grow with the session. */
const LOOKED_AT = 200;

/** One piece of work, or the two largest where both are short. */
function readWork(db: Database, sessionId: number): string | null {
  const sql = `SELECT o.title FROM observations o
    WHERE o.id IN (SELECT id FROM observations WHERE session_id = ? ORDER BY id DESC LIMIT ${LOOKED_AT})
    AND o.title <> '' AND o.type <> 'decision' AND o.origin <> 'commit'
      AND o.outcome IS NOT 'ruled-out' AND o.outcome IS NOT 'failed' AND ${holds('o')}
      AND NOT EXISTS (SELECT 1 FROM replacements r WHERE r.older_kind = 'observation' AND r.older_id = o.id AND r.both_hold = 0)
    ORDER BY o.type = 'discovery', o.type = 'change', json_array_length(o.files_modified) DESC, o.created_at_epoch DESC, o.id DESC
    LIMIT 2`;
  const [first, second] = readAll<{ title: string }>(db, sql, sessionId).map(({ title }) => oneLine(title, LONGEST_TITLE));
  if (first === undefined) return null;
  const both = `${first}; ${second}`;
  return second !== undefined && second !== first && both.length <= LONGEST_TITLE ? both : first;
}

/** Only what is not there: a session that has got a new name since keeps it. Inside a transaction. */
export function restoreSessionWords(db: Database, refs: MemoryRef[]): void {
  const hosts = new Set(readTexts(db, refs).map(({ session }) => session));
  const sql = 'SELECT id FROM sessions WHERE host_session_id IN (SELECT value FROM json_each(?))';
  const sessions = readAll<{ id: number }>(db, sql, JSON.stringify([...hosts]));
  for (const { id } of sessions) nameSession(db, id);
}

/** By what is shown of it, where it has no words. Inside a transaction. */
export function nameSession(db: Database, id: number): void {
  const { prompt, request, done } = readShown(db, id);
  db.query(
    `UPDATE sessions SET first_prompt = coalesce($prompt, first_prompt), title = coalesce(title, $title),
       subtitle = coalesce(subtitle, $subtitle) WHERE id = $id`,
  ).run({ id, prompt, title: readWork(db, id) ?? shorten(request ?? prompt, 90), subtitle: shorten(done, 140) });
}

/** The first of what was asked, the last of what was done. */
function readShown(db: Database, sessionId: number) {
  type Shown = Record<'prompt' | 'request' | 'done', string | null>;
  const sql = `SELECT
    (SELECT text FROM prompts WHERE session_id = $id AND hidden_at IS NULL AND private = 0 AND text <> ''
      ORDER BY prompt_number LIMIT 1) AS prompt,
    (SELECT request FROM summaries WHERE session_id = $id AND hidden_at IS NULL AND request <> ''
      ORDER BY created_at_epoch, id LIMIT 1) AS request,
    coalesce(
      (SELECT title FROM observations WHERE session_id = $id AND hidden_at IS NULL AND title <> ''
        ORDER BY created_at_epoch DESC, id DESC LIMIT 1),
      (SELECT completed FROM summaries WHERE session_id = $id AND hidden_at IS NULL AND completed <> ''
        ORDER BY created_at_epoch DESC, id DESC LIMIT 1)) AS done`;
  const row = readFirst<Shown>(db, sql, { id: sessionId });
  return row ?? { prompt: null, request: null, done: null };
}

const shorten = (text: string | null, max: number) => (text === null ? null : oneLine(text, max) || null);
