// Takes the table of shapes apart when the program is built, not each time that a hook starts.
import { findStart, readTable, toPattern } from './table.ts';
import tokenTable from './tables/tokens.txt' with { type: 'text' };

export type CompiledToken = {
  kind: string;
  starts: string[];
  pattern: string;
  /** The class of characters that may stand before the literal, and how many; '' and 0: none. */
  before: string;
  most: number;
  checks: string[];
  example: string;
};

/** A line for each. */
export const writeTokens = (): string =>
  compileTokens()
    .map((token) => JSON.stringify(token))
    .join('\n');

export function compileTokens(): CompiledToken[] {
  return readTable(tokenTable).map(([kind = '', shape = '', example = '', checks = '']) => {
    const pattern = toPattern(shape);
    const { literals, before } = findStart(pattern);
    return {
      kind,
      starts: literals,
      pattern,
      before: before?.chars ?? '',
      most: before?.max ?? 0,
      checks: checks.split(','),
      example,
    };
  });
}
