// An error is known again on another day, and no other is taken for it.
import { describe, expect, test } from 'bun:test';
import { markError } from '../../src/core/error-mark.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { readCases } from './cases.ts';

const share = (one: string, other: string) => markError(one).filter((mark) => markError(other).includes(mark));

/** Of the same error, the days it came on: other numbers, places and times stand around it. Others look alike, or tell nothing. */
const CASES = readCases<['same' | 'other', what: string, one: string, other: string]>('errors.jsonl');
const SAME = CASES.filter(([kind]) => kind === 'same');

test.each(CASES)('%s error: %s', (kind, _, one, other) => {
  if (kind === 'same') expect(share(one, other)).not.toBeEmpty();
  else expect(share(one, other)).toBeEmpty();
});

describe('marks', () => {
  test('no two errors of the tables share one by chance', () => {
    const owners = SAME.flatMap(([, what, error]) => markError(error).map((mark) => ({ mark, what })));
    const clashes = [...Map.groupBy(owners, ({ mark }) => mark).values()].filter((same) => same.length > 1);
    expect(clashes).toEqual([]);
  });

  test.each([
    ['one line of a megabyte', 'E'.repeat(1_000_000)],
    ['slashes', `error: ${'/a'.repeat(400_000)}`],
    ['many errors', 'src/a.ts(1,1): error TS2304: Cannot find name q.\n'.repeat(20_000)],
    ['quotes and digits', `Error: ${'"1.1.1.1:'.repeat(100_000)}`],
    ['hex', `Error: ${'abcdef0123'.repeat(100_000)}`],
    ['brackets', 'at (((((file.ts:1:1 '.repeat(50_000)],
    ['words that may be paths', `${'a.b-c@d/'.repeat(37)}\n`.repeat(1400)],
  ])('take no time for hostile output: %s', (_, output) => {
    expect(cpuMs(() => markError(output))).toBeLessThan(150);
  });
});
