// Whether somebody wanted a text forgotten, in whatever project and however it is written now.
import type { Database } from 'bun:sqlite';
import { hashParts } from '../core/ids.ts';
import { bareWords } from '../core/text.ts';
import { exhume, isForgotten } from '../store/tombstones.ts';
import { listHiddenRefs } from './lists.ts';
import { readTexts } from './read.ts';

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
