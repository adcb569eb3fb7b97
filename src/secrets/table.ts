// Reads the tables of rules: rows of columns, words by their use, and shapes as patterns.
import { lazily } from './span.ts';
import wordTable from './tables/words.txt' with { type: 'text' };

/** The alphabets of `{NAME:LENGTH}`, as they stand between the brackets of a pattern. */
const ALPHABETS: Record<string, string> = {
  alnum: 'A-Za-z0-9',
  word: 'A-Za-z0-9_',
  url: 'A-Za-z0-9_-',
  base64: 'A-Za-z0-9+/',
  hex: '0-9a-f',
  HEX: '0-9a-fA-F',
  HEXUP: '0-9A-F',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  lonum: 'a-z0-9',
  upnum: 'A-Z0-9',
  base32: 'A-Z2-7',
  bech32: '02-9ac-hj-np-z',
};
const PLACE = /\{([A-Za-z]+\d*):(\d+)(?:(\+)|-(\d+))?\}/g;

/** Columns stand apart by two blanks or more; `#` begins a remark. */
export function readTable(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.trim().split(/ {2,}/));
}

const wordRows = lazily(() => Map.groupBy(readTable(wordTable), ([use]) => use));

export const wordPattern = (use: string): (() => RegExp) =>
  lazily(() => {
    const rows = wordRows().get(use) ?? [];
    return new RegExp(rows.map(([, , pattern]) => pattern).join('|'), rows[0]?.[1]?.replace('-', ''));
  });

/** `gh[po]_{alnum:36+}` → `gh[po]_[A-Za-z0-9]{36,}`. */
export function toPattern(shape: string): string {
  return shape.replace(PLACE, (_, name: string, least: string, more?: string, most?: string) => {
    const times = more === undefined && most === undefined ? least : `${least},${most ?? ''}`;
    return `[${alphabetOf(name)}]{${times}}`;
  });
}

function alphabetOf(name: string): string {
  const alphabet = ALPHABETS[name];
  if (alphabet === undefined) throw new Error(`The tables of secrets name an alphabet that there is not: ${name}`);
  return alphabet;
}

/** `A-Z2-7` → the letters themselves. */
export function lettersOf(alphabet: string): string {
  return alphabet.replace(/(.)-(.)/g, (_, first: string, last: string) => {
    const codes = Array.from({ length: last.charCodeAt(0) - first.charCodeAt(0) + 1 }, (_, i) => first.charCodeAt(0) + i);
    return String.fromCharCode(...codes);
  });
}
