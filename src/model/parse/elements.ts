// The elements of an answer with their fields, as raw text: observations, summaries, titles, claims, and the two ways to say "nothing".
import { isSelfClosed, readAttributes } from './attributes.ts';
import { findClosings } from './closings.ts';
import { readField, type Value } from './fields.ts';
import { type Container, elementOf, type FieldKey, fieldOf } from './grammar.ts';
import type { Token } from './tokens.ts';

/** A field that stands there empty is in the map, with nothing in it. */
export type Fields = Map<FieldKey, Value[]>;
export type Found = { kind: Container | 'skip' | 'nothing' | 'wrapper'; fields: Fields };

type Walk = {
  tokens: Token[];
  closings: Int32Array;
  found: Found[];
  /** Containers that are open, and how many of each kind: a closing tag without an opening one costs nothing. */
  open: { kind: Container; fields: Fields }[];
  counts: Record<Container, number>;
  isBroken: boolean;
  hasHalf: boolean;
};

/** An answer has a dozen. What comes after so many is a flood. */
const MOST_ELEMENTS = 2000;

/**
 * In the order in which they begin. `isBroken`: some element or field was never closed, or not all was read. `hasHalf`: an
 * observation was begun and never closed.
 */
export function readElements(tokens: Token[]): Pick<Walk, 'found' | 'isBroken' | 'hasHalf'> {
  const counts = { observation: 0, summary: 0, session: 0, replaced: 0, closed: 0 };
  const walk: Walk = {
    tokens,
    closings: findClosings(tokens),
    found: [],
    open: [],
    counts,
    isBroken: false,
    hasHalf: false,
  };
  for (let at = 0; at < tokens.length && walk.found.length < MOST_ELEMENTS; ) at = step(walk, at);
  for (const left of walk.open) leaveOpen(walk, left);
  const { found, isBroken, hasHalf } = walk;
  return { found, isBroken: isBroken || found.length >= MOST_ELEMENTS, hasHalf };
}

/** Each step returns where to go on. */
function step(walk: Walk, at: number): number {
  const token = walk.tokens[at];
  if (!token || token.kind === 'text') return at + 1;
  const element = elementOf(token.name);
  if (token.kind === 'close') {
    if (element && 'container' in element) closeContainer(walk, element.container);
    return at + 1;
  }
  if (!element) return stepField(walk, at, token.name);
  return 'container' in element
    ? openContainer(walk, at, element.container, token.source)
    : stepMark(walk, at, element.mark, token.source);
}

function openContainer(walk: Walk, at: number, container: Container, source: string): number {
  const fields: Fields = new Map();
  for (const [name, text] of readAttributes(source)) {
    const key = fieldOf(container, name);
    if (key) fields.set(key, [...(fields.get(key) ?? []), { text, isItem: false }]);
  }
  const element = { kind: container, fields };
  walk.found.push(element);
  if (isSelfClosed(source)) return at + 1;
  walk.open.push(element);
  walk.counts[container]++;
  return at + 1;
}

/** Closes what was left open inside of it as well. */
function closeContainer(walk: Walk, container: Container): void {
  if (walk.counts[container] === 0) return;
  for (let last = walk.open.pop(); last; last = walk.open.pop()) {
    walk.counts[last.kind]--;
    if (last.kind === container) return;
    leaveOpen(walk, last);
  }
}

/** Prose may name a tag of ours: only what has fields was begun. */
function leaveOpen(walk: Walk, { kind, fields }: Walk['open'][number]): void {
  if (fields.size === 0) return;
  walk.isBroken = true;
  walk.hasHalf ||= kind === 'observation';
}

function stepMark(walk: Walk, at: number, kind: 'skip' | 'nothing' | 'wrapper' | 'thinking', source: string): number {
  const close = walk.closings[at] ?? -1;
  // What a model says to itself is no answer.
  if (kind === 'thinking') return Math.max(close, at) + 1;
  if (kind === 'wrapper') {
    if (close >= 0 || isSelfClosed(source)) walk.found.push({ kind, fields: new Map() });
    return at + 1;
  }
  const inside = walk.tokens[at + 1];
  const isText = close === at + 2 && inside?.kind === 'text';
  const text = readAttributes(source).get('reason') ?? (isText ? inside.text.replace(/<\/?reason>/gi, '') : '');
  walk.found.push({ kind, fields: new Map([['reason', [{ text, isItem: false }]]]) });
  return isText ? close + 1 : at + 1;
}

function stepField(walk: Walk, at: number, name: string): number {
  const top = walk.open.at(-1);
  const key = top ? fieldOf(top.kind, name) : null;
  if (!top || !key) return at + 1;
  const { values, next, isClosed } = readField(walk, at, { container: top.kind, key });
  const known = top.fields.get(key) ?? [];
  for (const value of values) known.push(value);
  top.fields.set(key, known);
  walk.isBroken ||= !isClosed;
  return next;
}
