// Until when, in a person's words: `1h`, `30 minutes`, `2d`, `until 18:00`. In the local time zone; the clock is passed in.
import { AskError } from './ask-error.ts';
import { parseIsoSpan } from './when.ts';

export function parseUntil(text: string, now: number): number {
  const words = text
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^(?:until|till|for) /, '');
  const end = parseLength(words, now) ?? parseClock(words, now) ?? parseIsoSpan(words)?.end ?? null;
  if (end === null)
    throw new AskError('invalid', `"${text.slice(0, 60)}" is not a time that is understood.`, UNTIL_HINT);
  if (end <= now) throw new AskError('invalid', `"${text.slice(0, 60)}" is over already.`, UNTIL_HINT);
  if (end > now + LONGEST_MS)
    throw new AskError('invalid', 'A pause of over a year is one without an end.', 'Leave the time out.');
  return end;
}

const UNTIL_HINT = 'Use 30m, 1h, 2d, or "until 18:00"; without a time the pause lasts until `claude-mem resume`.';
const LONGEST_MS = 366 * 86_400_000;

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

function parseLength(words: string, now: number): number | null {
  const match = /^(\d{1,6}(?:\.\d{1,3})?|an?) ?(m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/.exec(words);
  if (!match) return null;
  const amount = /^a/.test(match[1] ?? '') ? 1 : Number(match[1]);
  return Math.round(now + amount * (UNITS[match[2]?.[0] ?? ''] ?? 0));
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
