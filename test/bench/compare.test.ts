// What `bench --compare` calls worse.
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { comparePairs, newestRelease } from '../../bench/compare.ts';
import type { Figure } from '../../bench/spine/benchmark.ts';

const figure = (what: string, values: Record<string, number>): Figure => ({ what, figure: '', ratio: null, goal: null, values });

const judge = (pairs: [before: Record<string, number>, now: Record<string, number>][]) =>
  comparePairs(pairs.map(([before, now]) => ({ before: [figure('it', before)], now: [figure('it', now)] })))[0];

describe('a comparison', () => {
  test.each([
    [
      'slower in both runs',
      [
        [{ p50: 10 }, { p50: 12 }],
        [{ p50: 20 }, { p50: 23 }],
      ],
      true,
    ],
    [
      'slower in one run alone',
      [
        [{ p50: 10 }, { p50: 12 }],
        [{ p50: 20 }, { p50: 20 }],
      ],
      false,
    ],
    [
      'slower by less than it takes',
      [
        [{ p50: 10 }, { p50: 10.9 }],
        [{ p50: 20 }, { p50: 21.8 }],
      ],
      false,
    ],
    [
      'less of what should be much',
      [
        [{ perSecond: 900 }, { perSecond: 700 }],
        [{ perSecond: 900 }, { perSecond: 800 }],
      ],
      true,
    ],
    [
      'more of what should be much',
      [
        [{ rate: 1 }, { rate: 2 }],
        [{ rate: 1 }, { rate: 2 }],
      ],
      false,
    ],
    [
      'a slower machine with the same ratio',
      [
        [
          { p50: 10, toBun: 2 },
          { p50: 20, toBun: 2 },
        ],
        [
          { p50: 10, toBun: 2 },
          { p50: 20, toBun: 2 },
        ],
      ],
      false,
    ],
  ] as const)('%s', (_, pairs, isWorse) => {
    expect(judge(pairs.map(([before, now]) => [{ ...before }, { ...now }]))?.isWorse).toBe(isWorse);
  });

  test('leaves out what only one side has', () => {
    expect(comparePairs([{ before: [], now: [figure('new', { p50: 1 })] }])).toEqual([]);
    expect(judge([[{ p50: 1 }, { other: 1 }]])).toBeUndefined();
  });
});

test('the newest version and its commit are read from the changelog', () => {
  expect(newestRelease('# Changelog\n\n## [Unreleased]\n\n- x\n\n## [0.2.0] - 2027-01-01, abcdef1\n\n## [0.1.0], 1234567\n')).toBe(
    'abcdef1',
  );
  expect(newestRelease('## [Unreleased]\n- abcdef1\n')).toBeNull();
  expect(newestRelease(readFileSync(join(import.meta.dir, '../../CHANGELOG.md'), 'utf8'))).toBe('f13d1e7');
});
