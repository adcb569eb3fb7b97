// Reading JSON that others wrote, of which nothing is known: what is not as expected is empty.
import { parseJson } from '../core/plain-json.ts';

export type Fields = Record<string, unknown>;

export function asRecord(value: unknown): Fields {
  // Every field of it is read through the functions below, which check what they find.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
export const asRecords = (value: unknown): Fields[] => asList(value).map(asRecord);
export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
export const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
export const numberOrNull = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** Undefined for what is no JSON. */
export const readJson = parseJson;

/** The words of a message: a text, or a list of blocks, some of which are pictures and the like. */
export const textsOf = (content: unknown): string[] =>
  (typeof content === 'string' ? [content] : asList(content)).map((part) => text(part) || text(asRecord(part).text)).filter(Boolean);

/** Of an answer in a shape that we do not know: what it says counts all the same. */
export function wholeText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!value) return '';
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested beyond the stack.
    return '';
  }
}

/** Epoch ms. */
export function readTime(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return at > 0 ? at : null;
}
