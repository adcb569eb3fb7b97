// An error is known again on another day, and no other is taken for it.
import { describe, expect, test } from 'bun:test';
import { markError } from '../../src/core/error-mark.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { OTHER_ERRORS } from './error-mark/other-errors.ts';
import { SAME_ERRORS } from './error-mark/same-errors.ts';

const share = (one: string, other: string) => markError(one).filter((mark) => markError(other).includes(mark));

describe('an error is known again', () => {
  for (const [what, monday, friday] of SAME_ERRORS) {
    test(what, () => expect(share(monday, friday)).not.toBeEmpty());
  }
});

describe('an error is not taken for another', () => {
  for (const [what, one, other] of OTHER_ERRORS) {
    test(what, () => expect(share(one, other)).toBeEmpty());
  }
});

describe('marks', () => {
  test('are at most four, sixteen hex digits each, and none twice', () => {
    for (const [, monday, friday] of SAME_ERRORS) {
      for (const marks of [markError(monday), markError(friday)]) {
        expect(marks.length).toBeLessThanOrEqual(4);
        expect(new Set(marks).size).toBe(marks.length);
        for (const mark of marks) expect(mark).toMatch(/^[0-9a-f]{16}$/);
      }
    }
  });

  test('no two errors of the tables share one by chance', () => {
    const all = SAME_ERRORS.map(([what, error]) => ({ what, marks: markError(error) }));
    const owners = new Map<string, string>();
    const clashes: string[] = [];
    for (const { what, marks } of all) {
      for (const mark of marks) {
        const owner = owners.get(mark);
        if (owner && owner !== what) clashes.push(`${owner} / ${what}`);
        owners.set(mark, what);
      }
    }
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
