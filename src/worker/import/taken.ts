// What became of a line of an export, and what is needed to take one.
import type { Database } from 'bun:sqlite';
import type { DoorSettings } from '../silence/leave-out.ts';

export type TakerDeps = {
  db: Database;
  door: () => DoorSettings;
  clock: () => number;
  /** A person says that the file is their own. */
  asMine: boolean;
};

export type Taken =
  | { kind: 'added' }
  | { kind: 'known' }
  | { kind: 'refused'; reason: string }
  | { kind: 'bad'; reason: string };

export const ADDED: Taken = { kind: 'added' };
export const KNOWN: Taken = { kind: 'known' };
/** The door left nothing of it. */
export const NOTHING_LEFT: Taken = { kind: 'refused', reason: 'nothing-left' };
export const NO_SESSION: Taken = {
  kind: 'bad',
  reason: 'the line of its session is not in the file, or could not be read',
};
export const NO_PROJECT: Taken = {
  kind: 'bad',
  reason: 'the line of its project is not in the file, or could not be read',
};
