// Moments and spans of time: as a reader meets them, and as a person says them. In the local time zone; the clock is passed in.
import { AskError } from './ask-error.ts';
import { wordTable } from './text.ts';

/** Whoever waits comes first. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Times are kept twice: as text for people, as epoch milliseconds for sorting. */
export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();

/** `2026-01-02`. */
export function formatDate(epochMs: number): string {
  const date = new Date(epochMs);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}

/** `2 Jan 2026`. */
export function formatDay(epochMs: number): string {
  const date = new Date(epochMs);
  return `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}`;
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `10:30`. */
export function formatTime(epochMs: number): string {
  const date = new Date(epochMs);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** `2026-01-02 10:30`. */
export const formatMoment = (epochMs: number) => `${formatDate(epochMs)} ${formatTime(epochMs)}`;

/** `just now`, `5 min ago`, `3 h ago`, `2 days ago`; from two months on the day. */
export function formatAge(epochMs: number, now: number): string {
  const minutes = Math.floor((now - epochMs) / 60_000);
  if (minutes < 1) return minutes < -1 ? formatDate(epochMs) : 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ago`;
  const days = Math.floor(minutes / (24 * 60));
  if (days < 14) return days === 1 ? '1 day ago' : `${days} days ago`;
  return days < 60 ? `${Math.floor(days / 7)} weeks ago` : formatDate(epochMs);
}

const pad = (value: number) => String(value).padStart(2, '0');

/** Days as the clock on the wall counts them: from midnight to midnight where the reader is. */
export const DAY_MS = 86_400_000;

/** Of the last days, oldest first and today last; one more than there are days, the end of the last. */
export function startsOfDays(now: number, days: number): number[] {
  const today = new Date(now);
  return Array.from({ length: days + 1 }, (_, at) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1 + at).getTime(),
  );
}

/** A day as `since` begins with it, as `until` it ends with it. */
type Edge = 'since' | 'until';

export function parseWhen(text: string, edge: Edge, now: number): number {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const span = parseIsoSpan(words) ?? parseNamedDays(words, now) ?? parseAgo(words, now);
  if (span && Number.isFinite(span.start)) return edge === 'since' ? span.start : span.end;
  throw new AskError('invalid', `${edge}: "${text.slice(0, 60)}" is not a time that is understood.`, WHEN_HINT);
}

const WHEN_HINT =
  'Use a date (2026-01-05), a time (2026-01-05T14:30), today, yesterday, monday, last week, or how ' +
  'long ago: 90m, 2h, 3 days, 2 weeks, 1 month.';

/** Both ends; open ones are the beginning of time and the far future. */
export function parseRange(range: { since?: string; until?: string }, now: number): { since: number; until: number } {
  const since = range.since === undefined ? 0 : parseWhen(range.since, 'since', now);
  const until = range.until === undefined ? Number.MAX_SAFE_INTEGER : parseWhen(range.until, 'until', now);
  if (since <= until) return { since, until };
  throw new AskError('invalid', 'since is after until, so nothing can be between them.', 'Exchange the two.');
}

type Span = { start: number; end: number };

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[t ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(z|[+-]\d\d:?\d\d)?)?$/;

/** The whole day of a date, the moment of a time. Null for anything else, and for a day that no calendar has. */
export function parseIsoSpan(text: string): Span | null {
  const match = ISO.exec(text.trim().toLowerCase());
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return null;
  const local = new Date(year, month - 1, day);
  if (local.getMonth() !== month - 1 || local.getDate() !== day) return null;
  if (match[4] === undefined) return daysFrom(local, 1);
  const millisecond = Math.floor(Number(`0.${match[7] ?? 0}`) * 1000);
  const zone = match[8];
  const at =
    zone === undefined
      ? new Date(year, month - 1, day, hour, minute, second, millisecond).getTime()
      : Date.UTC(year, month - 1, day, hour, minute, second, millisecond) - zoneOffsetMs(zone);
  return { start: at, end: at };
}

function zoneOffsetMs(zone: string): number {
  if (zone === 'z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const WEEK = 7;

function parseNamedDays(words: string, now: number): Span | null {
  const today = new Date(now);
  const dayBefore = (days: number) => new Date(today.getFullYear(), today.getMonth(), today.getDate() - days);
  const monthBefore = (months: number) => new Date(today.getFullYear(), today.getMonth() - months, 1);
  const sinceMonday = (today.getDay() + 6) % WEEK;
  if (words === 'now') return { start: now, end: now };
  if (words === 'today') return daysFrom(dayBefore(0), 1);
  if (words === 'yesterday') return daysFrom(dayBefore(1), 1);
  if (words === 'this week') return daysFrom(dayBefore(sinceMonday), WEEK);
  if (words === 'last week') return daysFrom(dayBefore(sinceMonday + WEEK), WEEK);
  if (words === 'this month') return { start: monthBefore(0).getTime(), end: monthBefore(-1).getTime() - 1 };
  if (words === 'last month') return { start: monthBefore(1).getTime(), end: monthBefore(0).getTime() - 1 };
  const name = words.replace(/^(?:last|on) /, '');
  const weekday = WEEKDAYS.findIndex((full) => full === name || (name.length === 3 && full.startsWith(name)));
  // On a Monday, "monday" is the one a week ago: this one is called today.
  return weekday < 0 ? null : daysFrom(dayBefore((today.getDay() - weekday + WEEK) % WEEK || WEEK), 1);
}

/** Not by hours: some days have 23 of them, or 25. */
function daysFrom(first: Date, days: number): Span {
  const next = new Date(first.getFullYear(), first.getMonth(), first.getDate() + days);
  return { start: first.getTime(), end: next.getTime() - 1 };
}

const AGO =
  /^(?:(?:last|past) )?(\d{1,6}|an?|one) ?(m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|months?|y|yrs?|years?)(?: ago)?$/;

function parseAgo(words: string, now: number): Span | null {
  const [, amount, unit = ''] = AGO.exec(words) ?? [];
  if (amount === undefined) return null;
  const start = goBack(now, /^\d/.test(amount) ? Number(amount) : 1, unit);
  return { start, end: start };
}

function goBack(now: number, amount: number, unit: string): number {
  const date = new Date(now);
  if (unit.startsWith('mo')) return monthsBefore(date, amount);
  if (unit.startsWith('y')) return monthsBefore(date, amount * 12);
  if (unit.startsWith('m')) return now - amount * 60_000;
  if (unit.startsWith('h')) return now - amount * 3_600_000;
  return date.setDate(date.getDate() - amount * (unit.startsWith('w') ? WEEK : 1));
}

/** A month before the 31st is the last day of a shorter month, not the first of this one. */
function monthsBefore(date: Date, months: number): number {
  const lastDay = new Date(date.getFullYear(), date.getMonth() - months + 1, 0).getDate();
  const copy = new Date(date);
  copy.setDate(Math.min(date.getDate(), lastDay));
  return copy.setMonth(date.getMonth() - months);
}

export function parseUntil(text: string, now: number): number {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^(?:until|till|for) /, '');
  const end = parseLength(words, now) ?? parseClock(words, now) ?? parseIsoSpan(words)?.end ?? null;
  if (end === null) throw new AskError('invalid', `"${text.slice(0, 60)}" is not a time that is understood.`, UNTIL_HINT);
  if (end <= now) throw new AskError('invalid', `"${text.slice(0, 60)}" is over already.`, UNTIL_HINT);
  if (end > now + LONGEST_MS) throw new AskError('invalid', 'A pause of over a year is one without an end.', 'Leave the time out.');
  return end;
}

const UNTIL_HINT = 'Use 30m, 1h30m, 2d, or "until 18:00"; without a time the pause lasts until `claude-mem resume`.';
const LONGEST_MS = 366 * 86_400_000;

const UNITS = wordTable<number>({ m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 });

const LENGTH = /(?:(\d{1,6}(?:\.\d{1,3})?) ?|an? )(mins?|minutes?|m|hrs?|hours?|h|days?|d|weeks?|w)(?![a-z])/;
const LENGTHS = new RegExp(`^${LENGTH.source}(?: ?(?:and )?${LENGTH.source})*$`);

/** `1h`, `1h30m`, `an hour and 30 minutes`. */
function parseLength(words: string, now: number): number | null {
  if (!LENGTHS.test(words)) return null;
  let ms = 0;
  for (const [, amount = 1, unit = ''] of words.matchAll(new RegExp(LENGTH, 'g'))) ms += Number(amount) * (UNITS[unit.charAt(0)] ?? 0);
  return Math.round(now + ms);
}

/** The next time that the clock shows this: in the evening, 8:00 is tomorrow. */
function parseClock(words: string, now: number): number | null {
  const match = /^(tomorrow )?([01]?\d|2[0-3]):([0-5]\d)$/.exec(words);
  if (!match) return null;
  const date = new Date(now);
  date.setHours(Number(match[2]), Number(match[3]), 0, 0);
  if (match[1] !== undefined || date.getTime() <= now) date.setDate(date.getDate() + 1);
  return date.getTime();
}

// What is timed, for `claude-mem stats` and the page of health.

/**
 * ack: a hook's line read until its commit. queueWait: the arrival of a turn's last event until the turn is processed.
 * observe: the processing of a turn. index: a batch of vectors. note: what a prompt is given; lateNote: what was not
 * ready in time, and left out.
 */
export const STAGES = ['ack', 'queueWait', 'observe', 'index', 'note', 'lateNote'] as const;
export type Stage = (typeof STAGES)[number];
