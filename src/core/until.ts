// Until when, in a person's words: `1h`, `30 minutes`, `2d`, `until 18:00`. In the local time zone; the clock is passed in.

import { AskError } from './ask-error.ts';
import { parseIsoSpan } from './when.ts';
import { wordTable } from './word-table.ts';

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

const UNTIL_HINT = 'Use 30m, 1h30m, 2d, or "until 18:00"; without a time the pause lasts until `claude-mem resume`.';
const LONGEST_MS = 366 * 86_400_000;

const UNITS = wordTable<number>({ m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 });

const LENGTH = /(?:(\d{1,6}(?:\.\d{1,3})?) ?|an? )(mins?|minutes?|m|hrs?|hours?|h|days?|d|weeks?|w)(?![a-z])/;
const LENGTHS = new RegExp(`^${LENGTH.source}(?: ?(?:and )?${LENGTH.source})*$`);

/** `1h`, `1h30m`, `an hour and 30 minutes`. */
function parseLength(words: string, now: number): number | null {
  if (!LENGTHS.test(words)) return null;
  let ms = 0;
  for (const [, amount = 1, unit = ''] of words.matchAll(new RegExp(LENGTH, 'g')))
    ms += Number(amount) * (UNITS[unit.charAt(0)] ?? 0);
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
