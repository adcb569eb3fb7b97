// What a column of another program holds, in our terms: texts, lists, times.
import type { Value } from './tables.ts';

/** Null for what says nothing. */
export function readText(value: Value): string | null {
  if (value === null) return null;
  const text = String(value).toWellFormed();
  return text.trim() === '' ? null : text;
}

/** A JSON list, or lines of text where it is none. */
export function readList(value: Value): string[] {
  const text = readText(value);
  if (text === null) return [];
  const items = parseList(text) ?? text.split('\n');
  const said = items.map((item) => item.replace(/^\s*(?:[-*•]\s+)?/, '').trim()).filter((item) => item !== '');
  return [...new Set(said)].slice(0, MOST_ITEMS);
}

const MOST_ITEMS = 500;

function parseList(text: string): string[] | null {
  if (!/^\s*[["{]/.test(text)) return null;
  try {
    return textsIn(JSON.parse(text));
  } catch {
    // It only begins like JSON: it is read as lines.
    return null;
  }
}

/** Of an entry that is an object, what it says. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS).flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  const said = Object.entries(value).find(([key]) => ['text', 'fact', 'path', 'file', 'name', 'title'].includes(key));
  return typeof said?.[1] === 'string' ? [said[1]] : [];
}

/** As a whole number from one on; null for anything else. */
export function readCount(value: Value): number | null {
  const number = typeof value === 'string' ? Number(value) : value;
  return number !== null && Number.isSafeInteger(number) && number > 0 ? number : null;
}

/** Epoch ms. The number may be of seconds or even microseconds; the text is asked where there is none. Null when neither tells. */
export function readTime(epoch: Value, text: Value): number | null {
  const number = typeof epoch === 'string' ? Number(epoch) : epoch;
  if (number !== null && Number.isFinite(number) && number > 0) return inRange(toMs(number));
  if (typeof text !== 'string') return null;
  const parsed = Date.parse(/^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?$/.test(text) ? `${text.replace(' ', 'T')}Z` : text);
  return Number.isNaN(parsed) ? null : inRange(parsed);
}

const SECONDS_END = 100_000_000_000;
const MS_END = 100_000_000_000_000;

function toMs(epoch: number): number {
  if (epoch < SECONDS_END) return Math.round(epoch * 1000);
  return epoch < MS_END ? Math.round(epoch) : Math.round(epoch / 1000);
}

/** Before 2000 or after 2100 it is no time that anybody worked at. */
const inRange = (ms: number) => (ms > 946_684_800_000 && ms < 4_102_444_800_000 ? ms : null);
