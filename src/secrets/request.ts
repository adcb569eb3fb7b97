// Secrets of requests: Authorization and cookie headers; passwords and tokens before the @ of an address, of which the rest stays.
import type { Find, FindAt, Scan, Span } from './span.ts';
import { isPlaceholder, isSecretValue, mixture, readQuoted } from './value.ts';

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

const SCHEME =
  /(Bearer|Basic|Token|Digest|Negotiate|NTLM|Api-?Key|Key|OAuth|DPoP|Hawk|GenieKey|SSWS|Splunk|AWS4-HMAC-SHA256)(?:[ \t]{1,4}|%20)/iy;
// A first or later cookie whose value is long enough to open something.
const COOKIE = /^(?:[^\n=]{1,80}=[^\n;]{0,200}; ?)?[\w.%-]{1,80}=[^;,\s$<{(]{8}/;
// A scheme that nobody told us of: one word, and one that looks random.
const OTHER_SCHEME = /[A-Za-z][\w-]{1,30}[ \t]{1,4}(?=[^\s"',;]{16})/y;
const WORD = /[^\s"'`\\,;<>{}()[\]]{1,8192}/y;
const LINE = /(?:[^\r\n"'`\\]|\\(?![nrt"'\\])){1,8192}/y;
// username="joe", response="…"
const LISTED = /(?:=\\?"[^"\r\n\\]{0,400}\\?"|='[^'\r\n]{0,400}'|[^\r\n"'`\\]|\\(?![nrt"'\\])){1,8192}/y;

export function findAuthorization({ findTokenAt }: { findTokenAt: FindAt }, scan: Scan, at: number): Span | null {
  const { text } = scan;
  const quoted = readQuoted(text, at);
  const start = quoted?.from ?? at;
  SCHEME.lastIndex = start;
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  const from = scheme === undefined ? endOf(OTHER_SCHEME, text, start) : SCHEME.lastIndex;
  const isListed = /^(?:digest|hawk|oauth|aws4-hmac-sha256)$/.test(scheme ?? '');
  const isWord = scheme === undefined || /bearer|basic|token|key/.test(scheme);
  const to = quoted?.to ?? endOf(isListed ? LISTED : isWord ? WORD : LINE, text, from);
  const value = text.slice(from, to);
  const by = scheme === 'basic' ? ('human' as const) : ('machine' as const);
  const form = { quoted: quoted !== null, by, literal: scheme !== undefined };
  const isProof = isListed && /\b(?:response|mac|signature|oauth_token)\\?["']?=\\?["']?[^"'\s,]{8}/i.test(value);
  if (isProof ? isPlaceholder(value) : !isSecretValue(value, form)) return null;
  const token = findTokenAt(scan, from);
  if (token !== null && token.from === from && token.to >= to) return null;
  return { from, to, kind: kindOf(scheme), hashed: scheme !== 'basic' && value.length >= 20 };
}

function kindOf(scheme: string | undefined): string {
  if (scheme === 'bearer') return 'bearer-token';
  return scheme === 'basic' ? 'basic-auth' : 'authorization';
}

/** The whole header value: which of its cookies open something cannot be told from their names. */
export function findCookie(text: string, at: number, isHeader: boolean): Span | null {
  const quoted = readQuoted(text, at);
  if (quoted === null && !isHeader) return null;
  const from = quoted?.from ?? at;
  if (!COOKIE.test(text.slice(from, Math.min(quoted?.to ?? text.length, from + 400)))) return null;
  const to = quoted?.to ?? endOf(LINE, text, from);
  return { from, to, kind: 'cookie', hashed: to - from >= 20 };
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
