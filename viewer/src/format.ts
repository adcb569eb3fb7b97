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

/** `#123`, `S12`, `P34`: an observation's number needs a sign to be known for one. */
export const formatId = (id: string) => (/^\d/.test(id) ? `#${id}` : id);

/** `1 event`, `4 events`. */
export const formatCount = (count: number, noun: string) => `${number.format(count)} ${noun}${count === 1 ? '' : 's'}`;
