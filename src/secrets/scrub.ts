// Replaces secrets in texts and in JSON values, before anything is stored, sent or shown.

import { type Context, findAssigned, isHashable } from './assignment.ts';
import { findEchoed, findHereString, findInCall, findSqlPassword, readOptions } from './command.ts';
import { compileTriggers } from './compile.ts' with { type: 'macro' };
import { createNameJudge, type NamedSecret, readLanguages, readNameRules } from './name.ts';
import { createPlaceFinder } from './place.ts';
import { type PlainText, toPlain, withoutMargins } from './plain.ts';
import { findAuthorization, findCookie, findDsn, findUserInfo } from './request.ts';
import { findClusterData, findCopied, findInserted, findPemHead, findPemTail, findPutty, findWrapped } from './rows.ts';
import { type Find, type FindAt, holdsMark, lazily, mergeSpans, NONE, type Scan, type Span } from './span.ts';
import { findToken, findUnnamed, readPlaces, readTokenRule } from './tokens.ts';
import { groupOf, isTriggered, nextTrigger, readLayout, type TriggerTable } from './trigger.ts';
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

/** `key`: what it stands under; '' for nothing. */
function scrubNode(walk: Walk, node: unknown, named: NamedSecret | null, key = ''): unknown {
  if (typeof node === 'string') return scrubString(walk, node, named);
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) {
    const copy: unknown[] = [];
    walk.todo.push(() => fillArray(walk, node, copy, named, key));
    return copy;
  }
  const copy: Fields = {};
  walk.todo.push(() => fillObject(walk, node as Fields, copy, named, key));
  return copy;
}

function fillArray(walk: Walk, items: unknown[], copy: unknown[], named: NamedSecret | null, key: string): void {
  const isLines = items.length > 1 && items.some((item) => typeof item === 'string');
  const members = (isLines ? scrubLines(walk, items) : items).map((item): Member => ['', scrubText(walk, item, named)]);
  for (const item of scrubTogether(walk, members, key)) copy.push(scrubRest(walk, item, named, key));
}

function fillObject(walk: Walk, source: Fields, copy: Fields, above: NamedSecret | null, under: string): void {
  const judge = createKeyJudge(walk, source, above);
  const members = Object.entries(source).map(([key, value]): Member => [key, scrubText(walk, value, judge(key))]);
  for (const [at, value] of scrubTogether(walk, members, under).entries()) {
    const key = members[at]?.[0] ?? '';
    const scrubbedKey = key.length < 12 ? key : scrubString(walk, key, null);
    const scrubbed = scrubRest(walk, value, judge(key), key);
    if (scrubbedKey !== '__proto__') copy[scrubbedKey] = scrubbed;
    // Not by assignment: it must stay a key.
    else Object.defineProperty(copy, scrubbedKey, { value: scrubbed, enumerable: true, writable: true, configurable: true });
  }
}

const scrubText = (walk: Walk, value: unknown, named: NamedSecret | null) =>
  typeof value === 'string' ? scrubString(walk, value, named) : value;

/** Of a member all but a text, which is scrubbed already. */
const scrubRest = (walk: Walk, value: unknown, named: NamedSecret | null, key: string) =>
  typeof value === 'string' ? value : scrubNode(walk, value, named, key);

type Member = [key: string, value: unknown];

const MOST_MEMBERS = 64;
const LONGEST_MEMBER = 512;

/**
 * Values that what stands beside them gives away (`"--password", "…"`, `"username": "joe", "key": "…"`): looked at as they would stand in
 * a file, where the rules for texts find them.
 */
function scrubTogether(walk: Walk, members: Member[], under: string): unknown[] {
  const values = members.map(([, value]) => value);
  if (members.length > MOST_MEMBERS || !values.some((value) => typeof value === 'string')) return values;
  let text = `${QUOTABLE.test(under) ? `"${under}":` : ''}${members.every(([key]) => key === '') ? '[' : '{'}`;
  const starts = members.map(([key, value]) => {
    if (key !== '' && QUOTABLE.test(key)) text += `"${key}":`;
    const start = text.length + 1;
    text += typeof value === 'string' && QUOTABLE.test(value) ? `"${value}",` : 'null,';
    return start;
  });
  const spans = walk.detector.findInLine(text);
  if (spans.length === 0) return values;
  return values.map((value, at) => {
    if (typeof value !== 'string' || !QUOTABLE.test(value)) return value;
    const start = starts[at] ?? 0;
    const inside = spans.filter(({ from, to }) => from >= start && to <= start + value.length);
    for (const { kind } of inside) walk.found.add(kind);
    return replace(
      value,
      inside.map((span) => ({ ...span, from: span.from - start, to: span.to - start })),
    );
  });
}

const QUOTABLE = new RegExp(`^[^"\\\\\\p{Cc}]{1,${LONGEST_MEMBER}}$`, 'u');

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

// Finds the secrets of a text: one pass of the pre-filter, and a closer look only where it points to.

const LAYOUT = compileTriggers();

type Detector = {
  /** In order, without overlap. */
  findSecrets: (text: string) => readonly Span[];
  /** The same in one line without signs of a terminal, and only what a name or a shape tells. */
  findInLine: (text: string) => readonly Span[];
  /** Looks only at this place, only for secrets known by their shape. */
  findTokenAt: FindAt;
  judgeName: (name: string) => NamedSecret | null;
};

function createDetector(): Detector {
  const table = readLayout(LAYOUT);
  const judgeName = createNameJudge(readNameRules);
  const findPlace = lazily(() => createPlaceFinder(readLanguages()));
  const findTokenAt: FindAt = (scan, at) => tryTriggers(table, finders, scan, at, true);
  const finders = createFinders({ judgeName, findPlace: (at) => findPlace()(at), findTokenAt });
  const places = lazily(readPlaces);

  function scanText(text: string): readonly Span[] {
    const named = runOver(table, finders, text);
    const unnamed = findUnnamed(places, text, named);
    return unnamed.length === 0 ? named : mergeSpans([...named, ...unnamed]);
  }
  function scanLines(text: string): readonly Span[] {
    const spans = scanText(text);
    const wrapped = findWrapped(text, scanText);
    return wrapped.length === 0 ? spans : mergeSpans([...spans, ...wrapped]);
  }
  function findSecrets(text: string): readonly Span[] {
    const plain = toPlain(text);
    if (plain === null) return scanBoth(text);
    const spans = placeBack(plain, scanBoth(plain.text));
    return plain.hasUnseen ? mergeSpans([...spans, ...scanLines(text)]) : spans;
  }
  /** In a diff, a listing or a quotation also as it was before each line got its sign: what several lines tell together. */
  function scanBoth(text: string): readonly Span[] {
    const spans = scanLines(text);
    const bare = withoutMargins(text);
    const more = bare === null ? NONE : placeBack(bare, scanLines(bare.text));
    return more.length === 0 ? spans : mergeSpans([...spans, ...more]);
  }
  return { findSecrets, findInLine: (text) => runOver(table, finders, text), findTokenAt, judgeName };
}

const placeBack = ({ placeOf }: PlainText, spans: readonly Span[]): Span[] =>
  spans.map((span) => ({ ...span, from: placeOf(span.from), to: placeOf(span.to - 1) + 1 }));

function runOver(table: TriggerTable, finders: Finders, text: string): readonly Span[] {
  const first = nextTrigger(table, text, 0);
  if (first < 0) return NONE;
  const scan: Scan = { text, aside: [], rowsEnd: 0 };
  const spans: Span[] = [];
  let lastEnd = 0;
  for (let at = first; at >= 0; at = nextTrigger(table, text, Math.max(at + 1, lastEnd))) {
    const span = tryTriggers(table, finders, scan, at, false);
    if (span === null || span.to <= lastEnd) continue;
    add(spans, span);
    lastEnd = span.to;
  }
  return scan.aside.length === 0 ? spans : mergeSpans([...spans, ...scan.aside]);
}

function tryTriggers(table: TriggerTable, finders: Finders, scan: Scan, at: number, onlyShapes: boolean): Span | null {
  const group = groupOf(table, scan.text, at);
  if (group < 0) return null;
  for (const trigger of table.triggers(group)) {
    if (onlyShapes && !trigger.isShape) continue;
    if (!isTriggered(trigger, scan.text, at)) continue;
    const span = finders(trigger.by)(scan, at, trigger.literal);
    if (span !== null && span.to > span.from && !holdsMark(scan.text, span)) return span;
  }
  return null;
}

/** By what a trigger says of who looks closer. Made when first needed: of hundreds of rules most never are. */
type Finders = (by: string) => Find;

function createFinders(context: Context): Finders {
  const options = lazily(readOptions);
  const made = new Map<string, Find>(Object.entries(PLAIN_FINDERS));
  made.set('inserted', (scan, at) => findInserted(context.judgeName, scan, at));
  made.set('copied', (scan, at) => findCopied(context.judgeName, scan, at));
  const make = (by: string): Find => {
    const [kind, what] = [by.slice(0, by.indexOf(' ')), by.slice(by.indexOf(' ') + 1)];
    if (kind === 'name') return (scan, at) => findAssigned(context, scan, at, what);
    if (kind === 'option') return options()[Number(what)]?.find ?? findNothing;
    if (kind === 'call') return findInCall(what);
    const rule = readTokenRule(Number(what));
    return (scan, at, literal) => findToken(rule, literal, scan, at);
  };
  return (by) => {
    const find = made.get(by) ?? make(by);
    made.set(by, find);
    return find;
  };
}

const findNothing: Find = () => null;
const PLAIN_FINDERS: Record<string, Find> = {
  sql: findSqlPassword,
  cluster: findClusterData,
  echo: findEchoed,
  here: findHereString,
  url: findUserInfo,
  dsn: findDsn,
  'pem-head': findPemHead,
  'pem-tail': findPemTail,
  putty: findPutty,
};

// A secret may reach back over ones found before it (a key whose beginning was cut off): then it takes them in.
function add(spans: Span[], span: Span): void {
  let { from } = span;
  for (let last = spans.at(-1); last !== undefined && last.to > from; last = spans.at(-1)) {
    from = Math.min(from, last.from);
    spans.pop();
  }
  spans.push({ ...span, from });
}
