// The secrets that are known by their own shape, and random texts in places where only a secret stands.
import { writeTokens } from './compile.ts' with { type: 'macro' };
import type { CompiledToken } from './compile.ts';
import { lazyPattern, NONE, type Scan, type Span } from './span.ts';
import { readTable, wordPattern } from './table.ts';
import placeTable from './tables/unnamed.txt' with { type: 'text' };
import { isCodeName, isRandom, isSecretValue, isUserAndPassword, mixture } from './value.ts';

const COMPILED = writeTokens().split('\n');

type TokenRule = {
  kind: string;
  /** Literal texts, at least three characters: only where one stands is the pattern tried. */
  starts: readonly string[];
  /** Sticky. Group 1, if there is one, is the secret; else the whole match. Made when it is first tried: most never are. */
  pattern: () => RegExp;
  before: Before | null;
  checks: readonly string[];
  example: string;
};

type Before = { chars: () => RegExp; max: number };

/** A row of the table; the first that matches at a place wins. Most are never needed. */
export function readTokenRule(at: number): TokenRule {
  const { pattern, before, most, ...rule }: CompiledToken = JSON.parse(COMPILED[at] ?? '');
  return {
    ...rule,
    pattern: lazyPattern(() => pattern, 'y'),
    before: most === 0 ? null : { chars: lazyPattern(() => before), max: most },
  };
}

const MIXED = [/\d/, /[a-z]/, /[A-Z]/];
/**
 * A last look at the secret where the pattern alone would hit ordinary text. Only for patterns that cannot begin again inside
 * their own match: else a long match would be made and thrown away again and again.
 */
const CHECKS: Record<string, (secret: string, text: string, from: number) => boolean> = {
  mixed: (secret) => MIXED.every((part) => part.test(secret)),
  digit: (secret) => /\d/.test(secret) && /[A-Za-z]/.test(secret),
  login: isUserAndPassword,
  nocode: (secret) => !isCodeName(secret),
  human: (secret) => isSecretValue(secret, { quoted: true, by: 'human', literal: true }),
  random: isRandom,
  jwk: (_, text, from) => /["']kty\\{0,7}["']/.test(text.slice(Math.max(0, from - 4000), from + 4000)),
};

export function findToken(rule: TokenRule, literal: string, { text }: Scan, at: number): Span | null {
  const start = rule.before === null ? at : walkBack(text, at, rule.before);
  if (!isFreeBefore(text, start, rule, literal) || isMonotonous(text, start)) return null;
  const { checks } = rule;
  const pattern = rule.pattern();
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  if (match === null) return null;
  const whole = match[0];
  const secret = match[1] ?? whole;
  const from = start + (match[1] === undefined ? 0 : whole.lastIndexOf(secret));
  // As the documentation of a cloud ends its keys.
  if (secret.endsWith('EXAMPLE') || secret.endsWith('EXAMPLEKEY')) return null;
  if (checks.some((check) => CHECKS[check]?.(secret, text, from) === false)) return null;
  const isHuman = checks.includes('human') || checks.includes('login');
  return { from, to: from + secret.length, kind: rule.kind, hashed: !isHuman && secret.length >= 16 };
}

function walkBack(text: string, at: number, before: Before): number {
  const chars = before.chars();
  let start = at;
  while (start > 0 && at - start < before.max && chars.test(text.charAt(start - 1))) start--;
  return start;
}

const ALPHANUMERIC = /[A-Za-z0-9]/;
// Escapes end in letters and digits that are not part of a word: \n, \u0022, %3D and the colours of a terminal.
const ESCAPE = /(?:\\[nrtbfv0]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\[[0-9;]{0,8}m)$/;

/**
 * A letter or digit right before speaks against a short literal; a long one is telling enough by itself. `run`: also - and _, for
 * patterns that would be tried again and again inside one long run.
 */
function isFreeBefore(text: string, at: number, { checks }: TokenRule, literal: string): boolean {
  // Nearly always: to look at the rule costs more.
  if (at === 0 || !isRunChar(text.charCodeAt(at - 1))) return true;
  const isRun = checks.includes('run');
  if (!isRun && (literal.length >= 6 || /^[^A-Za-z0-9]/.test(literal) || (literal.length >= 4 && /[^A-Za-z0-9]$/.test(literal))))
    return true;
  if (!isRun && !ALPHANUMERIC.test(text.charAt(at - 1))) return true;
  return ESCAPE.test(text.slice(Math.max(0, at - 10), at));
}

// Documentation writes ghp_xxxxxxxx or AKIA0000000000000000. Asked before the pattern is tried, and of a bounded part: a long
// match that is thrown away would be made again and again.
function isMonotonous(text: string, start: number): boolean {
  let end = start;
  while (end - start < 40 && isTokenChar(text.charCodeAt(end))) end++;
  if (end - start < 16) return false;
  return countDistinct(text, end - 14, end) < 4;
}

/** How many signs it has that differ, roughly: five bits of each tell letters, digits and dashes apart. */
function countDistinct(text: string, from: number, to: number): number {
  let seen = 0;
  for (let i = from; i < to; i++) seen |= 1 << (text.charCodeAt(i) & 31);
  let distinct = 0;
  for (; seen !== 0; seen &= seen - 1) distinct++;
  return distinct;
}

// Letters, digits, - and _.
function isRunChar(code: number): boolean {
  if (code >= 97) return code <= 122;
  if (code >= 65) return code <= 90 || code === 95;
  return (code >= 48 && code <= 57) || code === 45;
}

// Letters, digits and + - . / : = _ ~ %; NaN, at the end of the text, is none of them.
function isTokenChar(code: number): boolean {
  if (code >= 97) return code <= 122 || code === 126;
  if (code >= 65) return code <= 90 || code === 95;
  return (code >= 45 && code <= 58) || code === 61 || code === 43 || code === 37;
}

type Place = { looks: string; least: number; before: RegExp; example: string };

export function readPlaces(): Place[] {
  return readTable(placeTable).map(([looks = '', least, before = '', example = '']) => ({
    looks,
    least: Number(least),
    before: new RegExp(`(?:${before})$`),
    example: example.replace('{line}', '\n'),
  }));
}

const SHORTEST = 16;
const LONGEST = 200;
const REACH = 160;

/** Looks at every long word, and at what stands before it. */
export function findUnnamed(places: () => readonly Place[], text: string, known: readonly Span[]): readonly Span[] {
  let found: Span[] | null = null;
  let next = 0;
  // Where a word that begins as early as one can has its last sign, if it is of the shortest: what is no word is found from its end.
  for (let last = SHORTEST - 1; last < text.length; last += SHORTEST) {
    const first = last - SHORTEST + 1;
    let at = last;
    while (at >= first && WORD_SIGNS[text.charCodeAt(at)] === 1) at--;
    if (at >= first) {
      last = at;
      continue;
    }
    let end = last + 1;
    while (end < text.length && WORD_SIGNS[text.charCodeAt(end)] === 1) end++;
    last = end;
    // NAME=value: what follows the sign. At the end the sign belongs to the value.
    const from = first + text.slice(first, end - 3).lastIndexOf('=') + 1;
    while ((known[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next++;
    const isKnown = (known[next]?.from ?? Number.POSITIVE_INFINITY) < end;
    if (isKnown || !isSecret(places, text, { from, to: end })) continue;
    found ??= [];
    found.push({ from, to: end, kind: 'token', hashed: end - from >= 20 });
  }
  return found ?? NONE;
}

const WORD_SIGNS = Uint8Array.from({ length: 128 }, (_, code) => (/[\w+./=~-]/.test(String.fromCharCode(code)) ? 1 : 0));

const ENDS = /["'`\s),;<\\]/;

function isSecret(places: () => readonly Place[], text: string, { from, to }: { from: number; to: number }): boolean {
  // Nothing before it says what it is: an id of its own, as most fields of an event have one.
  if (from === 0) return false;
  const length = to - from;
  if (length < SHORTEST || length > LONGEST || (to < text.length && !ENDS.test(text.charAt(to)))) return false;
  const looks = lookOf(text, from, to);
  if (looks === null) return false;
  const lead = text.slice(Math.max(0, from - REACH), from);
  if (isLabelled(lead)) return false;
  return places().some((place) => length >= place.least && (looks === 'mixed' || place.looks === 'any') && place.before.test(lead));
}

// Certificates, public keys, pictures, fonts, archives and addresses in base64, numbers with a prefix, and ids with their type before them.
const KNOWN = /^(?:AAAA|MII|Qm[1-9A-HJ-NP-Za-km-z]{44}$|iVBOR|R0lGOD|UklGR|d09G|AGFzb|H4sI|PHN2Zy|sha\d|0x|[a-z]{2,12}_|[./~])/;
const WORD_WITHIN = /(?:^|[-_./])[A-Za-z]?[a-z]{3,}(?=[-_./]|$)|\.[A-Za-z]{1,4}\d?$/;

/** Paths and names go by what signs they are made of. */
function lookOf(text: string, from: number, to: number): 'mixed' | 'any' | null {
  let [digits, capitals, smalls, digitsOfHex] = [0, 0, 0, 0];
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code >= 97) {
      smalls++;
      if (code <= 102) digitsOfHex++;
    } else if (code >= 65 && code <= 90) capitals++;
    else if (code >= 48 && code <= 57) digits++;
    else if (code === 45) digitsOfHex++;
  }
  if (digits >= 2 && capitals >= 3 && smalls >= 3) return isMixed(text.slice(from, to)) ? 'mixed' : null;
  return digits > 0 && digits + digitsOfHex === to - from && isNumber(text.slice(from, to)) ? 'any' : null;
}

function isMixed(word: string): boolean {
  return (
    mixture(word) * 4 >= Math.min(word.length, 64) &&
    !KNOWN.test(word) &&
    !WORD_WITHIN.test(word) &&
    (word.match(/[A-Z][a-z]{3}/g)?.length ?? 0) < 3 &&
    isRandom(word)
  );
}

function isNumber(word: string): boolean {
  if (!/^(?:[0-9a-f]{32,128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.test(word)) return false;
  return countDistinct(word, 0, word.length) > 6;
}

const labels = wordPattern('label');

/** A word right before it says that it is something else. */
function isLabelled(lead: string): boolean {
  const line = lead.slice(lead.trimEnd().lastIndexOf('\n') + 1).slice(-48);
  const words = line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    // What went wrong is no word for what stands there.
    .replace(/^.*\b(?:error|warning|exception): /, '');
  return labels().test(words) || /https?:\/\/\S*$/.test(line);
}
