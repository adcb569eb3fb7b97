// The last days, one by one, also those on which nothing was.

import type { DayCount } from '../../../../src/core/shapes/stats.ts';
import { LOCALE } from '../../format.ts';
import { type SpendDay, TYPES } from './answers.ts';

export type Day = { key: string; at: number };

/** The oldest first, today last. Noon, so that no change of the clocks moves one. */
export function lastDays(count: number, now = Date.now()): Day[] {
  const today = new Date(now);
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - at), 12);
    return { key: keyOf(day), at: day.getTime() };
  });
}

/** `2026-11-16`, as the worker names a day. */
function keyOf(day: Date): string {
  const two = (part: number) => String(part).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

export function typesByDay(days: Day[], counts: DayCount[]): { name: string; values: number[]; color: string }[] {
  const known = new Map(counts.map(({ day, types }) => [day, types]));
  return TYPES.map((type) => ({
    name: type,
    values: days.map(({ key }) => known.get(key)?.[type] ?? 0),
    color: `--type-${type}`,
  }));
}

export function tokensByDay(days: Day[], rows: SpendDay[]): number[] {
  const known = new Map(rows.map(({ name, input, cached, output }) => [name, input + cached + output]));
  return days.map(({ key }) => known.get(key) ?? 0);
}

const short = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });

export const sayShortDay = (day: Day | undefined) => (day ? short.format(day.at) : '');
export const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
