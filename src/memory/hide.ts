// Hidden memories: shown nowhere from now on, still there for a person to decide about; and whether a text was wanted forgotten before.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import { MEMORY_TABLES, type MemoryRef } from '../core/memory.ts';
import { bareWords } from '../core/text.ts';
import { isoTime } from '../core/time.ts';
import { finishBatch, getBatch } from '../store/batches.ts';
import { addDocument, removeDocument } from '../store/documents.ts';
import { dropAnswers } from '../store/model-calls.ts';
import { readValue } from '../store/read.ts';
import { exhume, isForgotten } from '../store/tombstones.ts';
import { listHiddenRefs } from './lists.ts';
import { readTexts } from './read.ts';
import { blankSessionWords, restoreSessionWords } from './session-names.ts';

/** All of them, and what their sessions are called after them. Inside a transaction. */
export function hideMemories(db: Database, refs: MemoryRef[], at: number): void {
  for (const ref of refs) hideMemory(db, ref, at);
  blankSessionWords(db, refs);
}

/** False when it is hidden already. Inside a transaction. */
export function hideMemory(db: Database, ref: MemoryRef, at: number): boolean {
  const { changes } = db
    .query(`UPDATE ${MEMORY_TABLES[ref.kind]} SET hidden_at = ? WHERE id = ? AND hidden_at IS NULL`)
    .run(isoTime(at), ref.id);
  removeDocument(db, ref);
  keepModelAway(db, ref);
  return changes > 0;
}

/** Those that were hidden; their sessions are called after them again. Inside a transaction. */
export function unhideMemories(db: Database, refs: MemoryRef[]): MemoryRef[] {
  const shown = refs.filter((ref) => unhideMemory(db, ref));
  restoreSessionWords(db, shown);
  return shown;
}

/** False when it was not hidden. Inside a transaction. */
export function unhideMemory(db: Database, ref: MemoryRef): boolean {
  const { changes } = db.query(`UPDATE ${MEMORY_TABLES[ref.kind]} SET hidden_at = NULL WHERE id = ? AND hidden_at IS NOT NULL`).run(ref.id);
  if (changes > 0) addDocument(db, ref);
  return changes > 0;
}

/** A model that is still to look at its turn would say the same in other words. */
export function keepModelAway(db: Database, { kind, id }: MemoryRef, reason?: string): void {
  if (kind === 'prompt') return;
  const batchId = readValue<number>(db, `SELECT batch_id FROM ${MEMORY_TABLES[kind]} WHERE id = ?`, id);
  if (batchId !== null) endBatch(db, batchId, reason);
}

/** What the rules made of it stands. */
export function endBatch(db: Database, batchId: number, reason = 'a memory of it was forgotten'): void {
  dropAnswers(db, batchId);
  if (getBatch(db, batchId)?.status !== 'waiting') return;
  finishBatch(db, batchId, { status: 'done', observer: 'local', reason });
}

// Whether somebody wanted a text forgotten, in whatever project and however it is written now.

/** A part of a memory is known again from so many letters on: a shorter one others have, too. */
const OWN_LETTERS = 20;

type Said = { title: string | null; texts: string[] };

/** By what a memory is known if it is said again: as a whole, and by each text that is its own. */
export function hashSaid({ title, texts }: Said): string[] {
  const [main = ''] = texts;
  const whole = [main || (title ?? ''), `${title ?? ''} ${main}`];
  const parts = [...(title === null ? [] : [title]), ...texts];
  const bare = [...whole.map(bareWords), ...parts.map(bareWords).filter((text) => text.length >= OWN_LETTERS)];
  return [...new Set(bare)].filter((text) => text !== '').map((text) => hashParts(['said', text]));
}

/** Erased for good. */
export const isErased = (db: Database, said: Said): boolean => hashSaid(said).some((hash) => isForgotten(db, 'text', hash));

/** Erased, or hidden and waiting for a person. */
export function isSaidBefore(db: Database, said: Said): boolean {
  if (isErased(db, said)) return true;
  const hashes = hashSaid(said);
  const hidden = new Set(readTexts(db, listHiddenRefs(db)).flatMap(hashSaid));
  return hashes.some((hash) => hidden.has(hash));
}

/** A person says it again. */
export function allowSaid(db: Database, said: Said): void {
  for (const hash of hashSaid(said)) exhume(db, 'text', hash);
}
