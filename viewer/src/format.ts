// Days, times, numbers and sizes as the reader's own locale writes them.

const DAY_MS = 86_400_000;

const time = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const dayOfThisYear = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
const dayOfAnyYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const number = new Intl.NumberFormat();
const short = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** `Today`, `Yesterday`, `Monday, 3 March`, with the year if it is another one. */
export function formatDay(at: number, now = Date.now()): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS);
  if (days === 0 || days === 1) return capital(relative.format(-days, 'day'));
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return (isThisYear ? dayOfThisYear : dayOfAnyYear).format(at);
}

export const startOfDay = (at: number) => new Date(at).setHours(0, 0, 0, 0);

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export const formatTime = (at: number) => time.format(at);

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
  return `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })} ${unit}`;
}

/** `#123`, `S12`, `P34`: an observation's number needs a sign to be known for one. */
export const formatId = (id: string) => (/^\d/.test(id) ? `#${id}` : id);

/** `1 event`, `4 events`. */
export const formatCount = (count: number, noun: string) => `${number.format(count)} ${noun}${count === 1 ? '' : 's'}`;
