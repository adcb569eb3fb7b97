// The waits after failures grow, differ, and have an end.
import { expect, test } from 'bun:test';
import { rateLimitDelayMs, retryDelayMs } from '../../src/llm/backoff.ts';

const BASE = 30_000;
const even = () => 0.5;

test.each([
  [1, 1],
  [2, 10],
  [3, 60],
  [4, 60],
  [1000, 60],
])('after %d failures it waits %d times the base', (failures, times) => {
  expect(retryDelayMs({ failures, baseMs: BASE, random: even })).toBe(times * BASE);
});

test.each([
  [1, 2],
  [2, 4],
  [3, 8],
  [6, 64],
  [7, 120],
  [2000, 120],
])('after %d rate limits it waits %d times the base', (times, factor) => {
  expect(rateLimitDelayMs({ times, baseMs: BASE, random: even })).toBe(factor * BASE);
});

test('a wait is up to a fifth shorter or longer, but never longer than the longest', () => {
  expect(retryDelayMs({ failures: 2, baseMs: BASE, random: () => 0 })).toBeCloseTo(8 * BASE, 3);
  expect(retryDelayMs({ failures: 2, baseMs: BASE, random: () => 1 })).toBeCloseTo(12 * BASE, 3);
  expect(retryDelayMs({ failures: 9, baseMs: BASE, random: () => 0 })).toBeCloseTo(48 * BASE, 3);
  expect(retryDelayMs({ failures: 9, baseMs: BASE, random: () => 1 })).toBe(60 * BASE);
});
