// Takes the tables apart when the program is built: what may announce a secret, laid out for the pre-filter. A starting hook or worker
// has no time for thousands.
import { readCalls, readOptions } from './command.ts';
import { readNameRules } from './name.ts';
import { DSN_LITERALS, URL_LITERALS } from './request.ts';
import { lettersOf, readTable, toPattern } from './table.ts';
import calls from './tables/calls.txt' with { type: 'text' };
import commands from './tables/commands.txt' with { type: 'text' };
import languages from './tables/languages.txt' with { type: 'text' };
import names from './tables/names.txt' with { type: 'text' };
import places from './tables/places.txt' with { type: 'text' };
import tokens from './tables/tokens.txt' with { type: 'text' };
import unnamed from './tables/unnamed.txt' with { type: 'text' };
import words from './tables/words.txt' with { type: 'text' };
import { type Layout, layOut, type Trigger } from './trigger.ts';

export function compileTriggers(): Layout {
  const exact = (by: string, literals: readonly string[]): Trigger[] =>
    literals.map((literal) => ({ literal, ignoreCase: false, isShape: false, by }));
  const folded = (by: string, literals: readonly string[]): Trigger[] =>
    literals.map((literal) => ({ literal, ignoreCase: true, isShape: false, by }));
  const parts = new Set(readNameRules().flatMap((rule) => rule.parts));
  return layOut([
    ...compileTokens().flatMap(({ starts }, i) => exact(`token ${i}`, starts).map((trigger) => ({ ...trigger, isShape: true }))),
    ...[...parts].flatMap((part) => folded(`name ${part}`, lengthen(part))),
    ...readOptions().flatMap(({ literals }, i) => exact(`option ${i}`, literals)),
    ...readCalls().flatMap(({ value, functions }) => folded(`call ${value}`, functions)),
    ...folded('sql', ['identified']),
    ...folded('inserted', ['insert', 'replace']),
    ...exact('cluster', ['data:', 'Data:', 'data"', 'Data"']),
    ...exact('echo', ['echo ', 'printf ', 'yes ', 'Write-Output ']),
    ...exact('here', ['<<<']),
    ...exact('url', URL_LITERALS),
    ...exact('dsn', DSN_LITERALS),
    ...exact('pem-head', ['BEGIN ']),
    ...exact('pem-tail', ['END ']),
    ...exact('putty', ['Private-Lines:']),
  ]);
}

/** The pre-filter wants three letters: a short name is noticed with what may stand before it, or after it where no blanks are written. */
function lengthen(part: string): string[] {
  if (part.length >= 3) return [part];
  const isJoined = part.charCodeAt(0) > 0x2000;
  const around = isJoined ? ' :：=＝是为為は改设設"\'`」』】）)<|,，*' : ' \n\t"\'`_-.?&{(,;/<[#';
  const before = isJoined ? [] : [...around].map((sign) => sign + part);
  return [...before, ...[...(isJoined ? around : ' :=')].map((sign) => part + sign)];
}

export type CompiledToken = {
  kind: string;
  starts: string[];
  pattern: string;
  /** The class of characters that may stand before the literal, and how many; '' and 0: none. */
  before: string;
  most: number;
  checks: string[];
  example: string;
};

/** A line for each. */
export const writeTokens = (): string =>
  compileTokens()
    .map((token) => JSON.stringify(token))
    .join('\n');

function compileTokens(): CompiledToken[] {
  return readTable(tokens).map(([kind = '', shape = '', example = '', checks = '']) => {
    const pattern = toPattern(shape);
    const { literals, before } = findStart(pattern);
    return {
      kind,
      starts: literals,
      pattern,
      before: before?.chars ?? '',
      most: before?.max ?? 0,
      checks: checks.split(','),
      example,
    };
  });
}

const SHORTEST_START = 3;
const MOST_STARTS = 128;
/** Of texts that are long enough already. */
const ENOUGH_STARTS = 16;

/** The texts that a pattern can begin with, and the class of characters that may stand before them. */
export type Start = { literals: string[]; before: { chars: string; max: number } | null };

export function findStart(pattern: string): Start {
  const lead = /^(\[(?:\\.|[^\]])+\]|\\d)\{\d+(?:,(\d+))?\}/.exec(pattern);
  const max = lead === null ? 0 : Number(lead[2] ?? /\{(\d+)/.exec(lead[0])?.[1]);
  const { texts } = readChoices({ pattern, at: lead?.[0].length ?? 0 });
  const literals = [...new Set(texts)];
  if (literals.some((text) => text.length < SHORTEST_START))
    throw new Error(`This pattern must begin with at least ${SHORTEST_START} letters that are known: ${pattern}`);
  return { literals, before: lead === null ? null : { chars: lead[1] ?? '', max } };
}

/** `isWhole`: the texts are all of the pattern, not only its beginning. */
type Expanded = { texts: string[]; isWhole: boolean };
type Reader = { pattern: string; at: number };

function readChoices(reader: Reader): Expanded {
  const choices = [readSequence(reader)];
  while (reader.pattern.charAt(reader.at) === '|') {
    reader.at++;
    choices.push(readSequence(reader));
  }
  return { texts: choices.flatMap(({ texts }) => texts), isWhole: choices.every(({ isWhole }) => isWhole) };
}

function readSequence(reader: Reader): Expanded {
  let texts = [''];
  let isWhole = true;
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern.charAt(reader.at))) {
    const next = readAtom(reader);
    const times = readTimes(reader);
    const most = texts.every((text) => text.length >= SHORTEST_START) ? ENOUGH_STARTS : MOST_STARTS;
    isWhole = next !== null && times !== '*' && !times.startsWith('{0,') && texts.length * next.texts.length <= most;
    if (!isWhole || next === null) break;
    const options = times === '?' ? [...next.texts, ''] : next.texts;
    texts = texts.flatMap((text) => options.map((option) => text + option));
    isWhole = next.isWhole && (times === '' || times === '?');
    if (!isWhole) break;
  }
  skipSequence(reader);
  return { texts, isWhole };
}

/** Its beginning is known no further: on to where the next one begins. */
function skipSequence(reader: Reader): void {
  const { pattern } = reader;
  for (let depth = 0; reader.at < pattern.length; reader.at++) {
    const sign = pattern.charAt(reader.at);
    if (depth === 0 && (sign === '|' || sign === ')')) return;
    if (sign === '\\') reader.at++;
    else if (sign === '[') reader.at = endOfClass(pattern, reader.at + 1);
    else if (sign === '(') depth++;
    else if (sign === ')') depth--;
  }
}

function endOfClass(pattern: string, from: number): number {
  let at = from;
  while (at < pattern.length && pattern.charAt(at) !== ']') at += pattern.charAt(at) === '\\' ? 2 : 1;
  return at;
}

/** All plain letters that follow, but for the last where a sign says how often it stands. */
function readPlain(reader: Reader, from: number): string {
  const { pattern } = reader;
  while (isPlain(pattern.charCodeAt(reader.at))) reader.at++;
  if (reader.at - from > 1 && '{*+?'.includes(pattern.charAt(reader.at) || ' ')) reader.at--;
  return pattern.slice(from, reader.at);
}

const isPlain = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45;

/** Null: it may be too many things. */
function readAtom(reader: Reader): Expanded | null {
  const { pattern, at } = reader;
  const sign = pattern.charAt(at);
  reader.at = at + (sign === '\\' ? 2 : 1);
  if (sign === '(') return readGroup(reader);
  if (sign === '[') return readClass(reader);
  if (sign === '.') return null;
  if (sign !== '\\') return { texts: [readPlain(reader, at)], isWhole: true };
  const escaped = pattern.charAt(at + 1);
  if ('wsSDWbB'.includes(escaped)) return null;
  return { texts: escaped === 'd' ? DIGITS : [ESCAPED[escaped] ?? escaped], isWhole: true };
}

const DIGITS = [...'0123456789'];
const ESCAPED: Record<string, string> = { d: '0-9', t: '\t', n: '\n', r: '\r' };

function readGroup(reader: Reader): Expanded | null {
  const { pattern, at } = reader;
  const kind = pattern.charAt(at) === '?' ? pattern.slice(at, at + (pattern.charAt(at + 1) === '<' ? 3 : 2)) : '';
  reader.at += kind.length;
  const inner = readChoices(reader);
  reader.at++;
  if (kind === '' || kind === '?:') return inner;
  return kind.startsWith('?<') ? { texts: [''], isWhole: true } : null;
}

function readClass(reader: Reader): Expanded | null {
  const start = reader.at;
  const end = endOfClass(reader.pattern, start);
  const letters = reader.pattern.slice(start, end);
  reader.at = end + 1;
  if (letters.startsWith('^') || letters.includes('\\w') || letters.includes('\\s')) return null;
  const plain = letters.includes('\\') ? letters.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter) : letters;
  const texts = LETTERS.get(plain) ?? [...lettersOf(plain)];
  LETTERS.set(plain, texts);
  return texts.length > MOST_STARTS ? null : { texts, isWhole: true };
}

const LETTERS = new Map<string, string[]>();

function readTimes(reader: Reader): string {
  const { pattern, at } = reader;
  const sign = pattern.charAt(at);
  if (sign === '{') reader.at = pattern.indexOf('}', at) + 1;
  else if (sign === '*' || sign === '+' || sign === '?') reader.at++;
  return pattern.slice(at, reader.at);
}

/** To be raised when what finds secrets finds more by the same tables. */
const ENGINE = 5;

/** Tells one set of rules from another, so that a store is scanned again when they change: 32 bits, of the tables and the engine. */
export function hashRules(): number {
  const rules = [ENGINE, names, languages, commands, calls, places, unnamed, tokens, words].join('\n');
  let hash = 0x811c9dc5;
  for (let i = 0; i < rules.length; i++) hash = Math.imul(hash ^ rules.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
