// Finds a secret that is known by its own shape, and judges what may stand before it.
import type { Rule, Span } from './rule.ts';

const ALPHANUMERIC = /[A-Za-z0-9]/;
const RUN = /[\w-]/;

export function findToken(rule: Rule, text: string, at: number): Span | null {
  const start = rule.before === undefined ? at : walkBack(text, at, rule.before);
  if (rule.boundary !== 'none' && !isFreeBefore(text, start, rule.boundary === 'run' ? RUN : ALPHANUMERIC)) return null;
  const { pattern } = rule;
  pattern.lastIndex = start;
  const match = pattern.exec(text);
  if (match === null) return null;
  const whole = match[0];
  const secret = match[1] ?? whole;
  if (isMonotonous(secret) || rule.accept?.(secret) === false) return null;
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

// Documentation writes ghp_xxxxxxxx or AKIA0000000000000000.
function isMonotonous(secret: string): boolean {
  return new Set(secret.slice(-16)).size < 4;
}
