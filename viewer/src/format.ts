// Days, times, numbers and sizes: in the language of the page. The clock is that of everything else that is told, of 24 hours.

const DAY_MS = 86_400_000;

/** The page speaks English: `vor 2 Minuten` in the middle of it would not be read. */
export const LOCALE = globalThis.navigator?.languages?.find((language) => /^en\b/.test(language)) ?? 'en';
const clock = { hourCycle: 'h23' } as const;

const time = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short', ...clock });
const second = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium', ...clock });
const dateTime = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium', ...clock });
const dayOfThisYear = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long' });
const dayOfAnyYear = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full' });
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const number = new Intl.NumberFormat(LOCALE);
const short = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });

/** `Today`, `Yesterday`, `Monday, 3 March`, with the year if it is another one. */
export function formatDay(at: number, now = Date.now()): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS);
  if (days === 0 || days === 1) return capital(relative.format(-days, 'day'));
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? dayOfThisYear : dayOfAnyYear).format(at);
}

export const startOfDay = (at: number) => new Date(at).setHours(0, 0, 0, 0);

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `15:41`. */
export const formatTime = (at: number) => time.format(at);

/** `15:41:09`. */
export const formatSecond = (at: number) => second.format(at);

const month = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric' });

/** `March 2026`. */
export const formatMonth = (at: number) => month.format(at);

/** Exact: for titles and for what stands alone. */
export const formatDateTime = (at: number) => dateTime.format(at);

const UNITS = [
  ['year', 365 * DAY_MS],
  ['month', 30 * DAY_MS],
  ['week', 7 * DAY_MS],
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `3 minutes ago`; put `formatDateTime` into the title beside it. */
export function formatAgo(at: number, now = Date.now()): string {
  const distance = at - now;
  const [unit, size] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? ['second', 1000];
  return unit === 'second' ? relative.format(0, 'second') : relative.format(Math.round(distance / size), unit);
}

const AGES = [
  ['y', 365 * DAY_MS],
  ['mo', 30 * DAY_MS],
  ['w', 7 * DAY_MS],
  ['d', DAY_MS],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** `now`, `5m`, `3h`, `2d`: for a column of a list. */
export function formatAge(at: number, now = Date.now()): string {
  const distance = Math.max(0, now - at);
  const [unit, size] = AGES.find(([, ms]) => distance >= ms) ?? ['now', 0];
  return size === 0 ? unit : `${Math.floor(distance / size)}${unit}`;
}

const date = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });

/** `3 Mar 2026`. */
export const formatDate = (at: number) => date.format(at);

const percent = new Intl.NumberFormat(LOCALE, { style: 'percent' });

/** `41%`, everywhere alike. */
export const formatShare = (part: number) => percent.format(part);

const MINUTE_MS = 60_000;

/** `under a minute`, `12 min`, `3 h 5 min`, `2 days`. */
export function formatLength(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  if (minutes < 1) return 'under a minute';
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return formatCount(Math.round(hours / 24), 'day');
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
}

export const formatNumber = (value: number) => number.format(value);

/** `840 tokens`, `12.4K tokens`. */
export const formatTokens = (tokens: number) =>
  `${tokens < 10_000 ? number.format(tokens) : short.format(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`;

/** Of thousands, as disks are sold. */
export function formatSize(bytes: number): string {
  if (bytes < 1e6) return `${number.format(Math.ceil(bytes / 1e3))} KB`;
  const [value, unit] = bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${value.toLocaleString(LOCALE, { maximumFractionDigits: 1 })} ${unit}`;
}

/** `#123`, `#S12`, `#P34`: as in the context and at the terminal. */
export const formatId = (id: string) => `#${id}`;

/** `1 event`, `4 events`, `2 memories`. */
export const formatCount = (count: number, noun: string) =>
  `${number.format(count)} ${count === 1 ? noun : noun.replace(/([^aeiou])y$/, '$1ie').concat('s')}`;
