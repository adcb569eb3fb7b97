// The secrets that are known by their own shape: reads their table, finds one at a place, and judges what may stand before it.

import { writeTokens } from './compile-tokens.ts' with { type: 'macro' };
import type { CompiledToken } from './compile-tokens.ts';
import { lazyPattern, type Scan, type Span } from './span.ts';
import { isCodeName, isRandom, isSecretValue, isUserAndPassword } from './value.ts';

const COMPILED = writeTokens().split('\n');

export type TokenRule = {
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

/** Rows of the table; the first that matches at a place wins. */
export const readTokenRules = (): TokenRule[] => COMPILED.map((_, at) => readTokenRule(at));

/** Most are never needed. */
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
  if (
    !isRun &&
    (literal.length >= 6 || /^[^A-Za-z0-9]/.test(literal) || (literal.length >= 4 && /[^A-Za-z0-9]$/.test(literal)))
  )
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
  let seen = 0;
  for (let i = end - 14; i < end; i++) seen |= 1 << (text.charCodeAt(i) & 31);
  let distinct = 0;
  for (; seen !== 0; seen &= seen - 1) distinct++;
  return distinct < 4;
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
