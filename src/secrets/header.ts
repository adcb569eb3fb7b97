// Authorization and cookie headers, raw, in curl's options and in JSON.
import type { FindAt, Scan, Span } from './span.ts';
import { isPlaceholder, isSecretValue } from './value.ts';
import { readQuoted } from './written-value.ts';

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
