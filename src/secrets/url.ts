// Passwords and tokens before the @ of an address: only they are taken, the rest of the address stays.
import type { Span } from './span.ts';
import { isPlaceholder, mixture } from './value.ts';

/** The colon and the first characters after it, plain and escaped. */
export const URL_LITERALS = ['://', ':\\/', ':\\\\'];

const SLASHES = /:(?:\\{0,3}\/){2}/y;
const AUTHORITY = /[^\s"'`<>\\/?#]{1,512}/y;
const THROUGH_PATH = /[^\s"'`<>\\@]{1,256}@/y;
// Databases and brokers: their passwords are often pasted unescaped, so a / in them does not end the search.
const DATABASE =
  /(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|valkey|amqps?|mssql|sqlserver|clickhouse|cockroachdb|neo4j|bolt|nats|kafka|ldaps?|smtps?|s?ftps?|cassandra|couchdb|influxdb|oracle|jdbc)(?:\+[a-z0-9]{1,12})?$/i;

/** `at` is the colon of "://". */
export function findUserInfo(text: string, at: number): Span | null {
  SLASHES.lastIndex = at;
  if (!SLASHES.test(text)) return null;
  const start = SLASHES.lastIndex;
  const sign = findAt(text, start, false) ?? findDatabaseAt(text, at, start);
  if (sign === null) return null;
  const info = text.slice(start, sign);
  if (info.includes('[secret:')) return null;
  const colon = info.indexOf(':');
  if (colon < 0) return findUserToken(info, start, sign);
  const password = info.slice(colon + 1);
  if (/^x-(?:oauth|access)/.test(password)) return findUserToken(info.slice(0, colon), start, start + colon);
  if (isPlaceholder(password) || /^(?:pass(?:word|wd)?|pwd|pw|secret|token|key)$/i.test(password)) return null;
  return { from: start + colon + 1, to: sign, kind: 'url-password', hashed: false };
}

function findUserToken(user: string, from: number, to: number): Span | null {
  if (user.length < 20 || mixture(user) < 3) return null;
  return { from, to, kind: 'url-token', hashed: true };
}

function findDatabaseAt(text: string, at: number, start: number): number | null {
  if (!DATABASE.test(text.slice(Math.max(0, at - 24), at))) return null;
  const colon = text.slice(start, start + 80).search(/[:/\s]/);
  if (
    colon < 0 ||
    text.charAt(start + colon) !== ':' ||
    /^\d{1,5}(?:\D|$)/.test(text.slice(start + colon + 1, start + colon + 7))
  ) {
    return null;
  }
  return findAt(text, start, true);
}

function findAt(text: string, start: number, throughPath: boolean): number | null {
  const pattern = throughPath ? THROUGH_PATH : AUTHORITY;
  pattern.lastIndex = start;
  const sign = (pattern.exec(text)?.[0] ?? '').lastIndexOf('@');
  return sign < 0 ? null : start + sign;
}
