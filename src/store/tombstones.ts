// tombstones: hashes of what was forgotten, so that no channel brings it back.
import type { Database } from 'bun:sqlite';
import type { SessionEvent } from '../core/event.ts';
import { hashLongText, hashPrompt } from '../core/ids.ts';
import { isoTime } from './time.ts';

/** `agent`: one that was started under a private prompt. `text`: the content of a memory, or a prompt in its session. */
export type TombstoneKind = 'event' | 'session' | 'agent' | 'text';

export function isForgotten(db: Database, kind: TombstoneKind, hash: string): boolean {
  return db.query('SELECT 1 FROM tombstones WHERE kind = ? AND hash = ?').get(kind, hash) !== null;
}

export function bury(db: Database, kind: TombstoneKind, hash: string, at: number): void {
  db.query('INSERT OR IGNORE INTO tombstones (kind, hash, created_at) VALUES (?, ?, ?)').run(kind, hash, isoTime(at));
}

/** It, its session, a prompt of these words in it, or what was said in these many words anywhere: a fork has another session. */
export function isForgottenEvent(db: Database, event: SessionEvent): boolean {
  if (isForgotten(db, 'session', event.session) || isForgotten(db, 'event', event.id)) return true;
  if (event.kind === 'prompt' && isForgotten(db, 'text', hashPrompt(event.session, event.text))) return true;
  const hash = hashLongText(saidIn(event));
  return hash !== null && isForgotten(db, 'text', hash);
}

function saidIn(event: SessionEvent): string {
  if (event.kind === 'prompt') return event.text;
  return event.kind === 'stop' || event.kind === 'subagent' ? event.message : '';
}

/** Somebody says it again, and means it. */
export function exhume(db: Database, kind: TombstoneKind, hash: string): void {
  db.query('DELETE FROM tombstones WHERE kind = ? AND hash = ?').run(kind, hash);
}
