// Passwords that commands take in forms of their own: curl -u, mysql -p, sshpass, SQL's IDENTIFIED BY.
import type { Span } from './span.ts';
import { isPlaceholder } from './value.ts';

type Form = { literal: string; programs: RegExp; pattern: RegExp };

// The pattern begins at the literal; group 1 is the password. The program must stand shortly before.
const FORMS: readonly Form[] = [
  { literal: ' -u', programs: /\bcurl\b|\bwget\b|\bxh\b/, pattern: / -u ?['"]?[^\s:'"]{1,64}:([^\s'"\\]{1,256})/y },
  { literal: ' --user', programs: /\bcurl\b|\bwget\b/, pattern: / --user[ =]['"]?[^\s:'"]{1,64}:([^\s'"\\]{1,256})/y },
  {
    literal: ' -p',
    programs: /\bsshpass\b|\bdocker login\b|\bpodman login\b|\bmongo\w*\b/,
    pattern: / -p[ =]?['"]?([^\s'"\\-][^\s'"\\]{2,256})/y,
  },
  { literal: ' -p', programs: /\bmysql\w*\b|\bmariadb\w*\b/, pattern: / -p['"]?([^\s'"\\-][^\s'"\\]{2,256})/y },
  { literal: ' -a ', programs: /\bredis-cli\b|\bvalkey-cli\b/, pattern: / -a ['"]?([^\s'"\\-][^\s'"\\]{2,256})/y },
];
const IDENTIFIED =
  /identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?by\s{1,4}(?:password\s{1,4})?\\{0,3}['"]([^'"\\\n]{1,256})/iy;
const REACH = 200;

export const COMMAND_LITERALS: readonly string[] = [...new Set(FORMS.map(({ literal }) => literal))];

export function findCommandPassword(text: string, at: number): Span | null {
  const lead = text.slice(Math.max(0, at - REACH), at);
  for (const { literal, programs, pattern } of FORMS) {
    if (!text.startsWith(literal, at) || !programs.test(lead)) continue;
    const span = take(pattern, text, at);
    if (span !== null) return span;
  }
  return null;
}

export function findSqlPassword(text: string, at: number): Span | null {
  return take(IDENTIFIED, text, at);
}

function take(pattern: RegExp, text: string, at: number): Span | null {
  pattern.lastIndex = at;
  const password = pattern.exec(text)?.[1];
  if (password === undefined || isPlaceholder(password)) return null;
  return { from: pattern.lastIndex - password.length, to: pattern.lastIndex, kind: 'password', hashed: false };
}
