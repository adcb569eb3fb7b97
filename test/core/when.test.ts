import { describe, expect, test } from 'bun:test';
import { AskError } from '../../src/core/ask-error.ts';
import { parseIsoSpan, parseRange, parseWhen } from '../../src/core/time.ts';

/** A Wednesday afternoon. */
const NOW = new Date(2026, 2, 18, 15, 30, 0).getTime();
const local = (year: number, month: number, day: number, hour = 0, minute = 0, second = 0, ms = 0) =>
  new Date(year, month - 1, day, hour, minute, second, ms).getTime();

describe('since', () => {
  test.each([
    ['2026-01-05', local(2026, 1, 5)],
    ['2026-01-05T14:30', local(2026, 1, 5, 14, 30)],
    ['2026-01-05 14:30:15', local(2026, 1, 5, 14, 30, 15)],
    ['2026-01-05T14:30:15.250', local(2026, 1, 5, 14, 30, 15, 250)],
    ['2026-01-05T14:30:15Z', Date.UTC(2026, 0, 5, 14, 30, 15)],
    ['2026-01-05T14:30:15+02:00', Date.UTC(2026, 0, 5, 12, 30, 15)],
    ['2026-01-05t14:30:15-0330', Date.UTC(2026, 0, 5, 18, 0, 15)],
    ['now', NOW],
    ['today', local(2026, 3, 18)],
    ['Yesterday', local(2026, 3, 17)],
    ['monday', local(2026, 3, 16)],
    ['tue', local(2026, 3, 17)],
    ['wednesday', local(2026, 3, 11)],
    ['last friday', local(2026, 3, 13)],
    ['this week', local(2026, 3, 16)],
    ['last  week', local(2026, 3, 9)],
    ['last month', local(2026, 2, 1)],
    ['90m', NOW - 90 * 60_000],
    ['2h', NOW - 2 * 3_600_000],
    ['an hour ago', NOW - 3_600_000],
    ['3 days', local(2026, 3, 15, 15, 30)],
    ['3 days ago', local(2026, 3, 15, 15, 30)],
    ['past 3 days', local(2026, 3, 15, 15, 30)],
    ['2 weeks', local(2026, 3, 4, 15, 30)],
    ['1 month', local(2026, 2, 18, 15, 30)],
    ['2 years', local(2024, 3, 18, 15, 30)],
  ])('%s', (text, expected) => {
    expect(new Date(parseWhen(text, 'since', NOW))).toEqual(new Date(expected));
  });
});

describe('until', () => {
  test.each([
    ['2026-01-05', local(2026, 1, 6) - 1],
    ['yesterday', local(2026, 3, 18) - 1],
    ['last week', local(2026, 3, 16) - 1],
    ['last month', local(2026, 3, 1) - 1],
    ['2026-01-05T14:30', local(2026, 1, 5, 14, 30)],
    ['2h', NOW - 2 * 3_600_000],
  ])('%s includes the whole of it', (text, expected) => {
    expect(parseWhen(text, 'until', NOW)).toBe(expected);
  });
});

describe('what is no time', () => {
  test.each([
    ...['', 'soon', '3', '3 fortnights', '2026-02-30', '2026-13-01', '2026-01-05T25:00', '0000', '-3 days', '1e3 days', '99999999 days'],
    ...['yesterday; DROP TABLE', 'x'.repeat(200)],
  ])('%p is refused with a sentence', (text) => {
    expect(() => parseWhen(text, 'since', NOW)).toThrow(AskError);
    expect(() => parseWhen(text, 'since', NOW)).toThrow(/is not a time that is understood/);
  });

  test('a range that ends before it begins is refused', () => {
    expect(() => parseRange({ since: 'today', until: 'yesterday' }, NOW)).toThrow(/since is after until/);
  });
});

test('a month before the 31st is the end of the month before', () => {
  expect(parseWhen('1 month', 'since', local(2026, 3, 31, 9))).toBe(local(2026, 2, 28, 9));
});

test('one day is a range by itself', () => {
  expect(parseRange({ since: 'yesterday', until: 'yesterday' }, NOW)).toEqual({ since: local(2026, 3, 17), until: local(2026, 3, 18) - 1 });
  expect(parseRange({}, NOW)).toEqual({ since: 0, until: Number.MAX_SAFE_INTEGER });
});

test('a date is a day and a time a moment', () => {
  expect(parseIsoSpan('2026-01-05')).toEqual({ start: local(2026, 1, 5), end: local(2026, 1, 6) - 1 });
  expect(parseIsoSpan('S12')).toBeNull();
});

describe('days are days of the calendar, whatever their length', () => {
  test.each(['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia'])('in %s', (zone) => {
    const script = `
      import { parseWhen } from ${JSON.stringify(`${import.meta.dir}/../../src/core/time.ts`)};
      for (let day = 1; day < 366; day++) {
        const now = new Date(2026, 0, day, 12).getTime();
        const start = new Date(parseWhen('yesterday', 'since', now));
        const end = parseWhen('yesterday', 'until', now) + 1;
        if (start.getHours() !== 0 || new Date(end).getHours() !== 0) throw new Error(start.toString());
        if (parseWhen('today', 'since', now) !== end) throw new Error(String(day));
        if (new Date(parseWhen('1 day', 'since', now)).getHours() !== 12) throw new Error('noon ' + day);
      }`;
    const run = Bun.spawnSync([process.execPath, '-e', script], { env: { TZ: zone } });
    expect(run.stderr.toString()).toBe('');
    expect(run.exitCode).toBe(0);
  });
});
