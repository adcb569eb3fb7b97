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
    ...folded('copied', ['from stdin']),
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
type Start = { literals: string[]; before: { chars: string; max: number } | null };

export function findStart(pattern: string): Start {
  const lead = /^(\[(?:\\.|[^\]])+\]|\\d)\{\d+(?:,(\d+))?\}/.exec(pattern);
  const max = lead === null ? 0 : Number(lead[2] ?? /\{(\d+)/.exec(lead[0])?.[1]);
  const { texts } = readChoices({ pattern, at: lead?.[0].length ?? 0 });
  const literals = [...new Set(texts)];
  if (literals.some((text) => text.length < SHORTEST_START))
    throw new Error(`This pattern must begin with at least ${SHORTEST_START} letters that are known: ${pattern}`);
  return { literals, before: lead === null ? null : { chars: lead[1] ?? '', max } };
}

/** `isWhole`: the texts are all of it, not only how it can begin. */
type Expanded = { texts: string[]; isWhole: boolean };
type Reader = { pattern: string; at: number };

/** Up to the end of the group or of the pattern, which is passed over. */
function readChoices(reader: Reader): Expanded {
  const choices: Expanded[] = [];
  do choices.push(readSequence(reader));
  while (reader.pattern[reader.at++] === '|');
  return { texts: choices.flatMap(({ texts }) => texts), isWhole: choices.every(({ isWhole }) => isWhole) };
}

function readSequence(reader: Reader): Expanded {
  let texts = [''];
  let isWhole = true;
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern.charAt(reader.at))) {
    const next = readPiece(reader);
    if (!isWhole) continue;
    const most = texts.every((text) => text.length >= SHORTEST_START) ? ENOUGH_STARTS : MOST_STARTS;
    isWhole = next !== null && texts.length * next.texts.length <= most;
    if (!isWhole || next === null) continue;
    texts = texts.flatMap((text) => next.texts.map((more) => text + more));
    isWhole = next.isWhole;
  }
  return { texts, isWhole };
}

/** A group, a class, an escape, or letters, but for the last of these where a sign says how often it stands. */
const PIECE = /\((\?:|\?<?[=!])?|\[((?:\\.|[^\]])+)\]|\\(.)|[\w-]+(?=[\w-][{*+?])|[\w-]+(?![\w-]|[{*+?])|./y;
const TIMES = /(?:[*+?]|\{[^}]*\})?/y;

/** Null: it may be too many things. */
function readPiece(reader: Reader): Expanded | null {
  const [sign, group = '', letters, escaped] = takeNext(reader, PIECE);
  const inner = sign?.startsWith('(') ? readChoices(reader) : null;
  const [times = ''] = takeNext(reader, TIMES);
  if (times === '*' || times.startsWith('{0,')) return null;
  const isLookbehind = group.startsWith('?<');
  const found = isLookbehind ? { texts: [''], isWhole: true } : /[=!]$/.test(group) ? null : (inner ?? readLetters(letters, escaped, sign));
  if (!found) return null;
  return times === '?' ? { ...found, texts: [...found.texts, ''] } : { ...found, isWhole: found.isWhole && times === '' };
}

function takeNext(reader: Reader, pattern: RegExp): (string | undefined)[] {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.pattern) ?? [];
  reader.at = pattern.lastIndex;
  return found;
}

const ESCAPED: Record<string, string> = { d: '0-9', t: '\t', n: '\n', r: '\r' };

function readLetters(letters: string | undefined, escaped: string | undefined, sign = ''): Expanded | null {
  if (letters === undefined && escaped === undefined) return sign === '.' ? null : { texts: [sign], isWhole: true };
  const all = letters ?? `\\${escaped}`;
  if (/^\^|\\[wsSDWbB]/.test(all)) return null;
  const texts = [...lettersOf(all.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter))];
  return texts.length > MOST_STARTS ? null : { texts, isWhole: true };
}

/** To be raised when what finds secrets finds more by the same tables. */
const ENGINE = 6;

/** Tells one set of rules from another, so that a store is scanned again when they change: 32 bits, of the tables and the engine. */
export function hashRules(): number {
  const rules = [ENGINE, names, languages, commands, calls, places, unnamed, tokens, words].join('\n');
  let hash = 0x811c9dc5;
  for (let i = 0; i < rules.length; i++) hash = Math.imul(hash ^ rules.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}
