// What a rule for one kind of secret says; the tables in rules/ are lists of these.

/** Makes a random text of a length from an alphabet. Passed in, so that no example of a secret stands in our own source. */
export type Pick = (alphabet: string, length: number) => string;

export type Rule = {
  /** Stands in the replacement: `[secret:KIND:hash]`. */
  kind: string;
  what: string;
  /** Literal texts, at least three characters: only where one stands is the pattern tried. */
  starts: readonly string[];
  /** Sticky. Group 1, if there is one, is the secret; else the whole match. Bounded, or open only at the end. */
  pattern: RegExp;
  /** The pattern begins up to `max` characters of this class before the literal. */
  before?: { chars: RegExp; max: number };
  /**
   * What may not stand right before. `word` (default): a letter or digit. `run`: also - and _, for patterns that would be
   * tried again and again inside one long run. `none`: the literal is telling enough by itself.
   */
  boundary?: 'word' | 'run' | 'none';
  /**
   * A last look at the secret where the pattern alone would hit ordinary text. Only for patterns that cannot begin again inside
   * their own match: else a long match would be made and thrown away again and again.
   */
  accept?: (secret: string) => boolean;
  /** Chosen by a person: no hash in the replacement, it could be guessed from it. */
  human?: boolean;
  example: (pick: Pick) => string;
};

export const DIGITS = '0123456789';
export const HEX = '0123456789abcdef';
export const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
export const LOWER = 'abcdefghijklmnopqrstuvwxyz';
export const ALNUM = UPPER + LOWER + DIGITS;

/** Where a secret stands in a text, and what it is. */
export type Span = { from: number; to: number; kind: string; hashed: boolean };

/** Looks for a secret around a position that a trigger pointed to. */
export type Find = (text: string, at: number) => Span | null;
