// tombstones: hashes of what was forgotten, so that no channel brings it back.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import { hashLongText, hashParts, hashPrompt } from '../core/ids.ts';
import { bareWords } from '../core/text.ts';
import { isoTime } from '../core/time.ts';
import { exists } from './read.ts';

/** `agent`: one that was started under a private prompt. `text`: the content of a memory, or a prompt in its session. */
type TombstoneKind = 'event' | 'session' | 'agent' | 'text';

export function isForgotten(db: Database, kind: TombstoneKind, hash: string): boolean {
  return exists(db, 'SELECT 1 FROM tombstones WHERE kind = ? AND hash = ?', kind, hash);
}

export function bury(db: Database, kind: TombstoneKind, hash: string, at: number): void {
  db.query('INSERT OR IGNORE INTO tombstones (kind, hash, created_at) VALUES (?, ?, ?)').run(kind, hash, isoTime(at));
}

/** It, its session, a prompt of these words in it, or what was said in these many words anywhere: a fork has another session. */
export function isForgottenEvent(db: Database, event: SessionEvent): boolean {
  if (isForgotten(db, 'session', event.session) || isBuried(db, event)) return true;
  if (event.kind === 'prompt' && isForgotten(db, 'text', hashPrompt(event.session, event.text))) return true;
  const hash = hashLongText(saidIn(event));
  return hash !== null && isForgotten(db, 'text', hash);
}

/** By its id, or by what it is called whichever way it comes: a hook and a transcript give it two ids. */
function isBuried(db: Database, event: SessionEvent): boolean {
  if (!exists(db, "SELECT 1 FROM tombstones WHERE kind = 'event' LIMIT 1")) return false;
  const { id, session, kind, promptId } = event;
  const toolUseId = kind === 'tool' ? event.toolUseId : null;
  const text = kind === 'prompt' ? event.text : '';
  const names = [id, ...nameEvent({ session, kind, promptId, toolUseId, text })];
  return names.some((name) => isForgotten(db, 'event', name)) || isOfForgottenTurn(db, event);
}

/** A turn that was forgotten as a whole: nothing of it comes in again, whichever way. */
export const hashTurn = (session: string, promptId: string) => hashParts(['turn', session, promptId]);

/** What is said while the turn runs shares its id: with that it is another's turn, too. */
function isOfForgottenTurn(db: Database, { session, kind, promptId }: SessionEvent): boolean {
  if (promptId === null || OF_NO_TURN.includes(kind) || !isForgotten(db, 'event', hashTurn(session, promptId))) return false;
  const others = `SELECT 1 FROM prompts p JOIN sessions s ON s.id = p.session_id
    WHERE s.host_session_id = ? AND p.prompt_id = ? AND p.text <> '' LIMIT 1`;
  return !exists(db, others, session, promptId);
}

/** A prompt is judged by its own words. */
const OF_NO_TURN = ['start', 'end', 'prompt'];

/** A shorter paragraph others have, too. */
const OWN_LETTERS = 20;

/** By what a paragraph of a record is known if its turn is recorded again; null for what anybody may say. */
export function hashPart(text: string): string | null {
  const bare = bareWords(text);
  return bare.length < OWN_LETTERS ? null : hashParts(['part', bare]);
}

export type NamedEvent = {
  /** The host's own id. */
  session: string;
  kind: string;
  promptId: string | null;
  toolUseId: string | null;
  /** Of a prompt: what is said while a turn runs shares the id of what it was begun with. */
  text: string;
};

/** The hashes by which it is known again when its row is gone. */
export function nameEvent({ session, kind, promptId, toolUseId, text }: NamedEvent): string[] {
  // A fork has the same tool uses.
  if (kind === 'tool') return toolUseId === null ? [] : [hashParts(['tool use', toolUseId])];
  if (promptId === null || !SAID.includes(kind)) return [];
  const words = kind === 'prompt' ? text.replace(/\s+/g, ' ').trim() : '';
  return [hashParts(['said', session, promptId, kind, words])];
}

const SAID = ['prompt', 'stop', 'subagent', 'compaction'];

function saidIn(event: SessionEvent): string {
  if (event.kind === 'prompt') return event.text;
  return event.kind === 'stop' || event.kind === 'subagent' ? event.message : '';
}

/** Somebody says it again, and means it. */
export function exhume(db: Database, kind: TombstoneKind, hash: string): void {
  db.query('DELETE FROM tombstones WHERE kind = ? AND hash = ?').run(kind, hash);
}
