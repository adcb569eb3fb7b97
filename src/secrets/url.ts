// Passwords and tokens before the @ of an address: only they are taken, the rest of the address stays.
import type { Find, Span } from './span.ts';
import { isPlaceholder, mixture } from './value.ts';

/** The colon and the first characters after it, plain and escaped. */
export const URL_LITERALS = ['://', ':\\/', ':\\\\'];

const NO_PASSWORD = /^(?:pass(?:word|wd)?|pwd|pw|secret|token|key)$/i;
const SLASHES = /:(?:\\{0,3}\/){2}/y;
const AUTHORITY = /[^\s"'`<>\\/?#]{1,512}/y;
const RUN = /[^\s"'`<>\\]{1,512}/y;
// These passwords are often pasted unescaped, so a / ? or # in them does not end the search.
const WEB = /(?:^|[^a-z+])(?:https?|wss?|git|ssh|svn|file|chrome|about)$/i;

/** `at` is the colon of "://". */
export const findUserInfo: Find = ({ text }, at) => {
  SLASHES.lastIndex = at;
  if (!SLASHES.test(text)) return null;
  const start = SLASHES.lastIndex;
  const sign = findSign(text, at, start);
  if (sign === null) return null;
  const info = text.slice(start, sign);
  if (info.includes('[secret:')) return null;
  const colon = info.indexOf(':');
  if (colon < 0) return findUserToken(info, start, sign);
  const password = info.slice(colon + 1);
  if (/^x-(?:oauth|access)/.test(password)) return findUserToken(info.slice(0, colon), start, start + colon);
  if (isPlaceholder(password) || NO_PASSWORD.test(password)) return null;
  return { from: start + colon + 1, to: sign, kind: 'url-password', hashed: false };
};

function findUserToken(user: string, from: number, to: number): Span | null {
  if (user.length < 20 || mixture(user) < 3) return null;
  return { from, to, kind: 'url-token', hashed: true };
}

/** Where the @ before the host stands. */
function findSign(text: string, at: number, start: number): number | null {
  const authority = readSign(AUTHORITY, text, start);
  const isWeb = WEB.test(text.slice(Math.max(0, at - 24), at));
  if (isWeb && authority !== null) return authority;
  // host:port and a path: what an @ behind them means is no password. Else a colon without a port can only be a user's.
  const head = /^[^\s:/@?#"'`]{0,128}:(?!\d{1,5}(?:[/?#,\s"'`]|$))/.test(text.slice(start, start + 160));
  return head ? readSign(RUN, text, start) : authority;
}

function readSign(pattern: RegExp, text: string, start: number): number | null {
  pattern.lastIndex = start;
  const run = pattern.exec(text)?.[0] ?? '';
  // A second address in the same run begins anew; so does what follows the path's question mark when a host stood before it.
  const end = run.search(/:\/\/|,[a-z+]{2,12}:|@[\w.-]{1,200}(?::\d{1,5})?(?:\/[^?@]{0,200})?\?/);
  const sign = end < 0 ? run.lastIndexOf('@') : run.charAt(end) === '@' ? end : run.slice(0, end).lastIndexOf('@');
  return sign < 0 ? null : start + sign;
}

export const DSN_LITERALS = ['@tcp(', '@unix(', '@tcp6(', '@(localhost', '@protocol('];

/** user:password@tcp(host:3306)/db, as Go writes it. */
export const findDsn: Find = ({ text }, at) => {
  const lead = /(?:^|[\s"'`=])([^\s"'`:=]{1,64}):([^\s"'`]{2,128})$/.exec(text.slice(Math.max(0, at - 200), at));
  const password = lead?.[2] ?? '';
  if (isPlaceholder(password) || NO_PASSWORD.test(password)) return null;
  return { from: at - password.length, to: at, kind: 'url-password', hashed: false };
};
