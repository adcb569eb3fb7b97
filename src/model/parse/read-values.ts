// A field's raw values as what they mean: one text, a list, a type, numbers.
import { OBSERVATION_TYPES, type ObservationType } from '../../core/observation.ts';
import { cleanLine, cleanText } from './clean-text.ts';
import type { Fields } from './elements.ts';
import type { Value } from './fields.ts';
import type { FieldKey } from './grammar.ts';

/** A field that stands there twice counts by its first text that says something. */
export function readText(fields: Fields, key: FieldKey, max: number): string | null {
  return first(fields, key, (text) => cleanText(text, max));
}

export function readLine(fields: Fields, key: FieldKey, max: number): string | null {
  return first(fields, key, (text) => cleanLine(text, max));
}

function first(fields: Fields, key: FieldKey, clean: (text: string) => string | null): string | null {
  for (const { text } of fields.get(key) ?? []) {
    const cleaned = clean(text);
    if (cleaned !== null) return cleaned;
  }
  return null;
}

/** Missing or unknown is a change; "Bug fix", `bug_fix` and "🔴 bugfix" are a bugfix. */
export function readType(fields: Fields): ObservationType {
  const word = (readLine(fields, 'type', 60) ?? '').toLowerCase().replace(/[^a-z]/g, '');
  return OBSERVATION_TYPES.find((type) => type === word) ?? 'change';
}

export type ListLimits = {
  count: number;
  length: number /** Names hold no comma, sentences do. */;
  isOfNames: boolean;
};

/** A list that stands there twice is one list. Without a tag for each thing, each line (of names: each comma) is one. */
export function readList(fields: Fields, key: FieldKey, { count, length, isOfNames }: ListLimits): string[] {
  const list = new Set<string>();
  for (const value of fields.get(key) ?? []) {
    for (const part of splitList(value, isOfNames)) {
      if (list.size >= count) return [...list];
      const one = cleanLine(unmarked(part, isOfNames), length);
      if (one !== null) list.add(one);
    }
  }
  return [...list];
}

function splitList({ text, isItem }: Value, isOfNames: boolean): string[] {
  const json = isItem ? null : readJsonList(text);
  if (json) return json;
  if (isOfNames) return text.split(isItem ? /\n|,\s/ : /[\n,]/);
  return isItem ? [text] : text.split('\n');
}

function readJsonList(text: string): string[] | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith('["') || !trimmed.endsWith(']')) return null;
  try {
    const list: unknown = JSON.parse(trimmed);
    return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : null;
  } catch {
    // Only looked like JSON: it is read as lines.
    return null;
  }
}

function unmarked(text: string, isName: boolean): string {
  const bare = text.trim().replace(/^(?:[-*•·–—]|\d{1,3}[.)])\s+/, '');
  return isName ? bare.replace(/^["'`]+|["'`]+$/g, '') : bare;
}

const MOST_SOURCES = 500;

/** "1,4", "#1 and #4", "2-5". */
export function readNumbers(fields: Fields, key: FieldKey): number[] {
  const numbers = new Set<number>();
  const text = (fields.get(key) ?? []).map((value) => value.text.slice(0, 4000)).join(' ');
  for (const [, from, to] of text.matchAll(/(?<!\d)(\d{1,6})(?:\s{0,3}[-–]\s{0,3}(\d{1,6}))?(?!\d)/g)) {
    const last = Math.min(Number(to ?? from), Number(from) + MOST_SOURCES);
    for (let number = Number(from); number <= last && numbers.size < MOST_SOURCES; number++) numbers.add(number);
  }
  return [...numbers].filter((number) => number > 0);
}
