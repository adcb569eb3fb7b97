// How the viewer writes days, ids and counts.
import { expect, test } from 'bun:test';
import {
  formatCount,
  formatDateTime,
  formatDay,
  formatId,
  formatSecond,
  formatSize,
  formatTime,
  formatTokens,
} from '../../viewer/src/format.ts';

const now = new Date(2026, 2, 10, 0, 30).getTime();
const HOUR_MS = 3_600_000;

test('a day is counted from midnight, not in hours', () => {
  expect(formatDay(now - HOUR_MS, now)).toBe('Yesterday');
  expect(formatDay(now + 20 * HOUR_MS, now)).toBe('Today');
});

test('the year is said only when it is another one', () => {
  expect(formatDay(new Date(2026, 0, 5).getTime(), now)).not.toContain('2026');
  expect(formatDay(new Date(2025, 0, 5).getTime(), now)).toContain('2025');
});

test('the clock has 24 hours, wherever a time is told', () => {
  const afternoon = new Date(2026, 2, 10, 15, 41, 9).getTime();
  expect([formatTime(afternoon), formatSecond(afternoon)]).toEqual(['15:41', '15:41:09']);
  expect(formatDateTime(afternoon)).toEndWith('15:41:09');
  expect(formatSecond(now)).toBe('00:30:00');
});

test('an id looks as it does in the context and at the terminal', () => {
  expect(['12', 'S12', 'P12'].map(formatId)).toEqual(['#12', '#S12', '#P12']);
});

test('one of a thing is one, not ones', () => {
  expect([formatCount(1, 'event'), formatCount(4, 'event')]).toEqual(['1 event', '4 events']);
  expect([formatTokens(1), formatTokens(0)]).toEqual(['1 token', '0 tokens']);
});

test('a size is of thousands and never nothing', () => {
  expect([formatSize(1), formatSize(2_500_000), formatSize(1.2e9)]).toEqual(['1 KB', '2.5 MB', '1.2 GB']);
});
