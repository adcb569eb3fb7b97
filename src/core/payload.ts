// A payload made fit to keep: private text gone, no string too long, no nesting too deep. Loaded by the hook.
import { cutMiddle, lateNotice } from './cut.ts';
import { MAX_DEPTH, MAX_STRING } from './limits.ts';
import { mayHoldTag, stripWithin } from './privacy.ts';

const MAX_TOTAL = 1024 * 1024;
const MAX_KEYS = 10_000;

/** `isIncomplete`: some of it is left out because the time was up, and says so. */
export type CleanPayload = { value: unknown; tooDeep: boolean; isIncomplete: boolean };

export function cleanPayload(value: unknown, isOver: () => boolean = () => false): CleanPayload {
  const state = { tooDeep: false, left: MAX_TOTAL, keys: MAX_KEYS, isIncomplete: false, isOver };
  return { value: clean(value, 0, state), tooDeep: state.tooDeep, isIncomplete: state.isIncomplete };
}

/** True when cleaning what this JSON holds would change nothing: the hook's way with most events. */
export function isClean(json: string): boolean {
  return json.length <= MAX_STRING && !mayHoldTag(json) && countOf(json, '{') + countOf(json, '[') < MAX_DEPTH;
}

const countOf = (text: string, letter: string) => text.split(letter).length - 1;

type State = { tooDeep: boolean; left: number; keys: number; isIncomplete: boolean; isOver: () => boolean };

/** What an event is about stands near the top: names, ids, paths. The words of a person or an agent stand at the very top. */
const NEAR_DEPTH = 2;
const SHORT = 400;

function clean(value: unknown, depth: number, state: State): unknown {
  if (typeof value === 'string') return cleanString(value, depth, state);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) {
    state.tooDeep = true;
    return '[nested too deeply]';
  }
  if (depth >= NEAR_DEPTH && state.isOver()) return leaveOut(0, state);
  return Array.isArray(value) ? cleanArray(value, depth, state) : cleanObject(value, depth, state);
}

function cleanString(value: string, depth: number, state: State): string {
  const isOwed = depth < NEAR_DEPTH || (depth === NEAR_DEPTH && value.length <= SHORT);
  const stripped = stripWithin(value, isOwed ? () => false : state.isOver);
  if (stripped === null) return leaveOut(value.length, state);
  const kept = cutMiddle(stripped.text, Math.min(MAX_STRING, Math.max(state.left, 1024)));
  state.left -= kept.length;
  return kept;
}

function leaveOut(length: number, state: State): string {
  state.isIncomplete = true;
  return lateNotice(length);
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
    kept.push([cleanString(key, depth + 1, state), clean(field, depth + 1, state)]);
  }
  return Object.fromEntries(kept);
}
