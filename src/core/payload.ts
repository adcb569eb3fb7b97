// A payload made fit to keep: private text gone, no string too long, no nesting too deep. Loaded by the hook.
import { cutMiddle } from './cut.ts';
import { MAX_DEPTH, MAX_STRING } from './limits.ts';
import { mayHoldTag, stripPrivate } from './privacy.ts';

const MAX_TOTAL = 1024 * 1024;
const MAX_KEYS = 10_000;

export type CleanPayload = { value: unknown; tooDeep: boolean };

export function cleanPayload(value: unknown): CleanPayload {
  const state = { tooDeep: false, left: MAX_TOTAL, keys: MAX_KEYS };
  return { value: clean(value, 0, state), tooDeep: state.tooDeep };
}

/** True when cleaning what this JSON holds would change nothing: the hook's way with most events. */
export function isClean(json: string): boolean {
  return json.length <= MAX_STRING && !mayHoldTag(json) && countOf(json, '{') + countOf(json, '[') < MAX_DEPTH;
}

const countOf = (text: string, letter: string) => text.split(letter).length - 1;

type State = { tooDeep: boolean; left: number; keys: number };

function clean(value: unknown, depth: number, state: State): unknown {
  if (typeof value === 'string') return cleanString(value, state);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) {
    state.tooDeep = true;
    return '[nested too deeply]';
  }
  return Array.isArray(value) ? cleanArray(value, depth, state) : cleanObject(value, depth, state);
}

function cleanString(value: string, state: State): string {
  const { text } = stripPrivate(value);
  const kept = cutMiddle(text, Math.min(MAX_STRING, Math.max(state.left, 1024)));
  state.left -= kept.length;
  return kept;
}

function cleanArray(values: unknown[], depth: number, state: State): unknown[] {
  const kept: unknown[] = [];
  for (const value of values) {
    if (state.keys-- <= 0) break;
    kept.push(clean(value, depth + 1, state));
  }
  return kept;
}

function cleanObject(value: object, depth: number, state: State): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  for (const [key, field] of Object.entries(value)) {
    if (state.keys-- <= 0) break;
    kept.push([cleanString(key, state), clean(field, depth + 1, state)]);
  }
  return Object.fromEntries(kept);
}
