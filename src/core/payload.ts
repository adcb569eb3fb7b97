// A payload made fit to keep: private text gone, no string too long, no nesting too deep. Loaded by the hook when one is not.
import { MAX_DEPTH, MAX_STRING } from './plain-json.ts';
import { stripWithin } from './privacy.ts';

/** How the room left for a long string is shared: the beginning tells what it is, the end how it went. */
export const HEAD_SHARE = 0.6;
/** A cut looks this far for a place that splits nothing. */
export const CUT_REACH = 2048;

function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex');
  const room = max - 200;
  const head = text.slice(0, wordEndBefore(text, Math.floor(room * HEAD_SHARE)));
  const tail = text.slice(lineStartAfter(text, text.length - Math.floor(room * (1 - HEAD_SHARE))));
  return `${head}\n${cutNotice({ length: text.length, hash })}\n${tail}`;
}

/** Without a hash: there was no time for it. */
export function cutNotice({ length, hash }: { length: number; hash: string | null }): string {
  return `[claude-mem: middle of ${length} characters left out${hash === null ? '' : `, sha256 ${hash}`}]`;
}

export function lateNotice(length: number): string {
  return `[claude-mem: ${length} characters left out for lack of time; they are read from the transcript]`;
}

/** The first words of a text, none of them cut. */
export function firstWords(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, wordEndBefore(text, max));
}

function wordEndBefore(text: string, end: number): number {
  for (let at = end; at > end - CUT_REACH && at > 0; at--) if (isSpace(text.charCodeAt(at))) return at;
  return Math.max(0, end - CUT_REACH);
}

/** The start of a line, so that no value stands without its name; else of a word. */
function lineStartAfter(text: string, start: number): number {
  const end = Math.min(start + CUT_REACH, text.length);
  const newline = text.indexOf('\n', start - 1);
  if (newline >= 0 && newline < end) return newline + 1;
  for (let at = start; at < end; at++) if (isSpace(text.charCodeAt(at - 1))) return at;
  return end;
}

const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);

const MAX_TOTAL = 1024 * 1024;
const MAX_KEYS = 10_000;

/** `isIncomplete`: some of it is left out because the time was up, and says so. */
type CleanPayload = { value: unknown; tooDeep: boolean; isIncomplete: boolean };

export function cleanPayload(value: unknown, isOver: () => boolean = () => false): CleanPayload {
  const state = { tooDeep: false, left: MAX_TOTAL, keys: MAX_KEYS, isIncomplete: false, isOver };
  return { value: clean(value, 0, state), tooDeep: state.tooDeep, isIncomplete: state.isIncomplete };
}

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
