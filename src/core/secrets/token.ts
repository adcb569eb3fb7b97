// Finds a secret that is known by its own shape, and judges what may stand before it.
import type { Rule, Span } from './rule.ts';

const ALPHANUMERIC = /[A-Za-z0-9]/;
const RUN = /[\w-]/;

export function findToken(rule: Rule, text: string, at: number): Span | null {
  const start = rule.before === undefined ? at : walkBack(text, at, rule.before);
  if (rule.boundary !== 'none' && !isFreeBefore(text, start, rule.boundary === 'run' ? RUN : ALPHANUMERIC)) return null;
  if (isMonotonous(text, start)) return null;
  const { pattern } = rule;
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  if (match === null) return null;
  const whole = match[0];
  const secret = match[1] ?? whole;
  if (rule.accept?.(secret) === false) return null;
  const from = start + (match[1] === undefined ? 0 : whole.lastIndexOf(secret));
  return { from, to: from + secret.length, kind: rule.kind, hashed: rule.human !== true && secret.length >= 16 };
}

function walkBack(text: string, at: number, before: { chars: RegExp; max: number }): number {
  let start = at;
  while (start > 0 && at - start < before.max && before.chars.test(text.charAt(start - 1))) start--;
  return start;
}

/** Escapes end in letters and digits that are not part of a word: \n, \u0022, %3D and the colours of a terminal. */
function isFreeBefore(text: string, at: number, taken: RegExp): boolean {
  if (at === 0 || !taken.test(text.charAt(at - 1))) return true;
  return /(?:\\[nrtbfv0]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|\[[0-9;]{0,8}m)$/.test(
    text.slice(Math.max(0, at - 10), at),
  );
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

// Letters, digits and + - . / : = _ ~ %; NaN, at the end of the text, is none of them.
function isTokenChar(code: number): boolean {
  if (code >= 97) return code <= 122 || code === 126;
  if (code >= 65) return code <= 90 || code === 95;
  return (code >= 45 && code <= 58) || code === 61 || code === 43 || code === 37;
}
