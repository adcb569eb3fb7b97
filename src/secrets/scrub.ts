// Replaces secrets in texts and in JSON values, before anything is stored, sent or shown.
import { isHashable } from './assignment.ts';
import { createDetector, type Detector } from './detect.ts';
import type { NamedSecret } from './name.ts';
import { findAuthorization, findCookie } from './request.ts';
import type { Scan, Span } from './span.ts';
import { isSecretValue } from './value.ts';

// Made at first use and kept: it is immutable but for its memory of names, and building it costs more than a thousand texts.
let detector: Detector | undefined;

/** Each secret becomes `[secret:KIND]` or `[secret:KIND:hash]`; `found` lists the kinds. Scrubbing twice changes nothing. */
export function scrubSecrets(text: string): { text: string; found: string[] } {
  detector ??= createDetector();
  const spans = detector.findSecrets(text);
  return spans.length === 0 ? { text, found: [] } : { text: replace(text, spans), found: [...new Set(spans.map(({ kind }) => kind))] };
}

/**
 * Scrubs every string of a JSON value, and knows by their keys the secrets that look like nothing (`password`, `apiKey`).
 * Keys are scrubbed too. The value itself is not changed. Any depth.
 */
export function scrubValue<T>(value: T): { value: T; found: string[] } {
  detector ??= createDetector();
  const walk: Walk = { detector, todo: [], found: new Set() };
  const scrubbed = scrubNode(walk, value, null);
  for (let next = walk.todo.pop(); next !== undefined; next = walk.todo.pop()) next();
  // The walk copies the shape it is given; only texts differ.
  return { value: scrubbed as T, found: [...walk.found] };
}

// Containers wait in a list instead of on the stack: depth is the sender's choice, the stack is ours.
type Fields = Record<string, unknown>;
type Walk = { detector: Detector; todo: (() => void)[]; found: Set<string> };

function scrubNode(walk: Walk, node: unknown, named: NamedSecret | null): unknown {
  if (typeof node === 'string') return scrubString(walk, node, named);
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) {
    const copy: unknown[] = [];
    walk.todo.push(() => fillArray(walk, node, copy, named));
    return copy;
  }
  const copy: Fields = {};
  walk.todo.push(() => fillObject(walk, node as Fields, copy, named));
  return copy;
}

function fillArray(walk: Walk, items: unknown[], copy: unknown[], named: NamedSecret | null): void {
  const isLines = items.length > 1 && items.some((item) => typeof item === 'string');
  for (const item of isLines ? scrubLines(walk, items) : items) copy.push(scrubNode(walk, item, named));
}

function fillObject(walk: Walk, source: Fields, copy: Fields, above: NamedSecret | null): void {
  const entries = Object.entries(source);
  const judge = createKeyJudge(walk, source, above);
  for (const [key, value] of entries) {
    const named = judge(key);
    const scrubbedKey = key.length < 12 ? key : scrubString(walk, key, null);
    const scrubbed = scrubNode(walk, value, named);
    if (scrubbedKey !== '__proto__') copy[scrubbedKey] = scrubbed;
    // Not by assignment: it must stay a key.
    else Object.defineProperty(copy, scrubbedKey, { value: scrubbed, enumerable: true, writable: true, configurable: true });
  }
}

const CLUSTER_DATA: NamedSecret = { kind: 'kubernetes-secret', by: 'human' };
const KEY_PART: NamedSecret = { kind: 'private-key', by: 'machine' };

/** What the object is decides what its keys mean: a pair of name and value, a Kubernetes Secret, a JSON web key. */
function createKeyJudge(walk: Walk, source: Fields, above: NamedSecret | null): (key: string) => NamedSecret | null {
  const { judgeName } = walk.detector;
  const of = (key: string): unknown => (Object.hasOwn(source, key) ? source[key] : undefined);
  if (of('kind') === 'Secret') return (key) => (/^(?:data|stringData)$/.test(key) ? CLUSTER_DATA : judgeName(key));
  if (typeof of('kty') === 'string') return (key) => (/^(?:d|p|q|dp|dq|qi|k)$/.test(key) ? KEY_PART : judgeName(key));
  if (above === CLUSTER_DATA) return () => CLUSTER_DATA;
  const name = of('name') ?? of('key');
  const pair = typeof name === 'string' && typeof of('value') === 'string' ? judgeName(name) : null;
  return (key) => (key === 'value' && pair !== null ? pair : judgeName(key));
}

function scrubString(walk: Walk, text: string, named: NamedSecret | null): string {
  const spans = (named !== null && findNamed(walk.detector, text, named)) || walk.detector.findSecrets(text);
  if (spans.length === 0) return text;
  for (const { kind } of spans) walk.found.add(kind);
  return replace(text, spans);
}

function findNamed({ findTokenAt }: Detector, text: string, named: NamedSecret): Span[] | null {
  const scan: Scan = { text, aside: [], rowsEnd: 0 };
  if (named.kind === 'authorization' || named.kind === 'cookie') {
    const span = named.kind === 'cookie' ? findCookie(text, 0, true) : findAuthorization({ findTokenAt }, scan, 0);
    return span === null ? null : [{ ...span, to: text.length }];
  }
  if (!isSecretValue(text, { quoted: true, by: named.by, literal: false })) return null;
  const token = findTokenAt(scan, 0);
  if (token !== null && token.from === 0 && token.to === text.length) return null;
  return [{ from: 0, to: text.length, kind: named.kind, hashed: isHashable(named, text.length) }];
}

/** Agents send a changed file as a list of lines: what several of them tell together is in none of them. */
function scrubLines(walk: Walk, items: unknown[]): unknown[] {
  const lines = items.map((item) => (typeof item === 'string' ? item : ''));
  const spans = walk.detector.findSecrets(lines.join('\n'));
  if (spans.length === 0) return items;
  for (const { kind } of spans) walk.found.add(kind);
  let [to, next] = [-1, 0];
  return items.map((item, i) => {
    const line = lines[i] ?? '';
    const from = to + 1;
    to = from + line.length;
    while ((spans[next]?.to ?? to) <= from && next < spans.length) next++;
    const here: Span[] = [];
    for (let at = next, span = spans[at]; span && span.from < to; span = spans[++at]) here.push(cutSpan(span, { from, to, line }));
    return typeof item !== 'string' || here.length === 0 ? item : replace(line, here);
  });
}

/** What of a secret stands in one line. The first sign of a line of a diff stays: the line is read by it. */
function cutSpan(span: Span, { from, to, line }: { from: number; to: number; line: string }): Span {
  if (span.from >= from && span.to <= to) return { ...span, from: span.from - from, to: span.to - from };
  const begin = span.from > from ? span.from - from : /^[ +-]/.test(line) ? 1 : 0;
  return { ...span, hashed: false, from: begin, to: Math.min(span.to, to) - from };
}

function replace(text: string, spans: readonly Span[]): string {
  let scrubbed = '';
  let from = 0;
  for (const span of spans) {
    const hash = span.hashed ? `:${shortHash(text.slice(span.from, span.to))}` : '';
    scrubbed += `${text.slice(from, span.from)}[secret:${span.kind}${hash}]`;
    from = span.to;
  }
  return scrubbed + text.slice(from);
}

/** FNV-1a, 24 bits: tells two secrets apart in one's own notes, and is far too short to find one by. */
function shortHash(secret: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < secret.length; i++) hash = Math.imul(hash ^ secret.charCodeAt(i), 0x01000193);
  return ((hash ^ (hash >>> 15)) & 0xffffff).toString(16).padStart(6, '0');
}
