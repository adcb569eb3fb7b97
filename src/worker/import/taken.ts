// What became of a line of an export.

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
