// Finds secrets by the name that stands beside them: NAME=value, "name": "value", --name value, <name>value</name> and kin.
import { findAuthorization, findCookie } from './header.ts';
import type { NamedSecret } from './name.ts';
import type { Find, Span } from './span.ts';
import { isSecretValue, mixture, type ValueForm } from './value.ts';
import { readOn, readQuoted, readUnquoted } from './written-value.ts';

const NAME_REACH = 64;
const FOLLOWS_NAME = /["'`\\\]?\s=:,>%]/;

// Each begins right after the name. TYPED: `password: string = "…"`. PAIR: `name: DB_PASSWORD` and `value: …` below it.
const TYPED =
  /(?:\??:[ \t]{0,4}&?(?:'static )?[A-Za-z_][\w.<>|[\] ]{0,40}|[ \t]{1,4}(?:string|\[\]byte)[ \t]{0,4})=[ \t]{0,4}(?=\\{0,3}["'`])/y;
const PAIR =
  /(?:\\{0,3}["'`])?(?:,(?:\s|\\[nrt]){0,40}|(?:\s|\\[nrt]){1,40})(?:\\{0,3}["'])?value(?:\\{0,3}["'])?[ \t]{0,4}[:=][ \t]{0,4}/iy;
const SIGN = /(\\{0,3}["'`])?\]?\??[ \t]{0,4}(:=|=>|={1,3}|:|>|,|%3[ADad])[ \t]{0,8}/y;
const SQL = /[ \t]{1,4}(?=')/y;
const OPTION = /[ =][ \t]?(?=[^\s-])/y;
const NETRC = /\s{1,20}(?=\S)/y;
const PROSE = /[ \t]{1,2}(?:is|was|ist|lautet|est|es|é)(?: now)?:?[ \t]{1,2}(?=\S)/y;
// "API key: …" as people write it: the word before belongs to the name.
const FIRST_WORD = /\b(?:api|access|secret|private|signing|encryption|license|account|auth) $/i;
const MOT_DE = /\bmot de $/i;

export type Context = { judgeName: (name: string) => NamedSecret | null; findTokenAt: Find };

export function findAssigned(context: Context, text: string, at: number): Span | null {
  const name = readName(text, at);
  if (name === null || isOurMark(text, name.start)) return null;
  const named = context.judgeName(text.slice(name.start, name.end));
  if (named === null) return null;
  const place = readSeparator(text, name, named);
  if (place === null) return null;
  if (named.kind === 'authorization') return findAuthorization(context.findTokenAt, text, place.valueStart);
  if (named.kind === 'cookie') return findCookie(text, place.valueStart, place.sign === ':');
  const span = readSecret(text, name, named, place);
  if (span === null) return null;
  // A value that is all one known token is left to its own rule: its kind says more.
  const token = context.findTokenAt(text, span.from);
  return token !== null && token.from === span.from && token.to >= span.to ? null : span;
}

type Name = { start: number; end: number; isOption: boolean };

function readName(text: string, at: number): Name | null {
  let end = at;
  while (end - at < NAME_REACH && isNameChar(text.charCodeAt(end), false)) end++;
  if (end < text.length && !FOLLOWS_NAME.test(text.charAt(end))) return null;
  let start = at;
  while (at - start < NAME_REACH && start > 0 && isNameChar(text.charCodeAt(start - 1), true)) start--;
  if (text.charAt(start - 1) === '\\' && /[nrt]/.test(text.charAt(start)) && start < at) start++;
  const dashes = start;
  while (start < at && /[-.]/.test(text.charAt(start))) start++;
  return { start: start - lengthOfFirstWord(text, start, end), end, isOption: text.charAt(dashes) === '-' };
}

function lengthOfFirstWord(text: string, start: number, end: number): number {
  const before = text.slice(Math.max(0, start - 12), start);
  if (end - start === 3) return FIRST_WORD.exec(before)?.[0].length ?? 0;
  return end - start === 5 ? (MOT_DE.exec(before)?.[0].length ?? 0) : 0;
}

function isNameChar(code: number, withDot: boolean): boolean {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return true;
  // ñ and Ñ: contraseña.
  return (code >= 48 && code <= 57) || code === 95 || code === 45 || (withDot && code === 46) || (code | 32) === 0xf1;
}

// [secret:password], [secret:api-key:3fa9c1]: what an earlier scrubbing left.
const OUR_MARK = /\[secret:[a-z0-9-]{2,40}(?::[0-9a-f]{6})?\]/y;

function isOurMark(text: string, nameStart: number): boolean {
  OUR_MARK.lastIndex = nameStart - 1;
  return text.charAt(nameStart - 1) === '[' && OUR_MARK.test(text);
}

type Place = { sign: string; valueStart: number };

function readSeparator(text: string, name: Name, named: NamedSecret): Place | null {
  const typed = endOf(TYPED, text, name.end);
  if (typed !== null) return { sign: '=', valueStart: typed };
  const pair = endOf(PAIR, text, name.end);
  if (pair !== null) return { sign: 'pair', valueStart: pair };
  SIGN.lastIndex = name.end;
  const match = SIGN.exec(text);
  if (match !== null) return judgeSign(text, name, match);
  return readBlankSeparator(text, name, named);
}

function judgeSign(text: string, name: Name, match: RegExpExecArray): Place | null {
  const [whole, closingQuote, sign = ''] = match;
  const valueStart = name.end + whole.length;
  if (sign === '>' && !isElement(text, name.start, valueStart)) return null;
  // A name of several words is none of code: "Mot de passe : …" as the French write it.
  const isWritten = text.slice(name.start, name.end).includes(' ');
  if (sign === ':' && /^[ \t]/.test(whole) && !isWritten && !/["'`\\]/.test(text.charAt(valueStart))) return null;
  if (sign === ',' && (closingQuote === undefined || !/["'`\\]/.test(text.charAt(valueStart)))) return null;
  return { sign, valueStart };
}

function readBlankSeparator(text: string, name: Name, named: NamedSecret): Place | null {
  if (name.isOption) {
    const valueStart = endOf(OPTION, text, name.end);
    return valueStart === null ? null : { sign: 'option', valueStart };
  }
  const prose = endOf(PROSE, text, name.end);
  if (prose !== null) return { sign: 'prose', valueStart: prose };
  if (named.kind !== 'password') return null;
  const sql = endOf(SQL, text, name.end);
  if (sql !== null && /password$/i.test(text.slice(name.start, name.end))) return { sign: 'sql', valueStart: sql };
  const netrc = endOf(NETRC, text, name.end);
  const isNetrc =
    netrc !== null &&
    /\blogin\s{1,20}[\w@.+-]{1,100}\s{1,20}$/.test(text.slice(Math.max(0, name.start - 160), name.start));
  return isNetrc ? { sign: 'netrc', valueStart: netrc } : null;
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function readSecret(text: string, name: Name, named: NamedSecret, place: Place): Span | null {
  const quoted = readQuoted(text, place.valueStart);
  const isOption = place.sign === 'option' || (name.isOption && place.sign === '=');
  if (quoted !== null || place.sign === '>') {
    const value = quoted ?? { from: place.valueStart, to: endOfElement(text, place.valueStart) };
    const secret = text.slice(value.from, value.to);
    // Lists of words look like name, value too: there only what looks random counts.
    if (place.sign === ',' && (mixture(secret) < 3 || !/\d/.test(secret))) return null;
    return toSpan(text, value, named, isSecretValue(secret, { quoted: true, human: named.human, literal: isOption }));
  }
  const isTight = text.charAt(name.end) === '=' && place.valueStart === name.end + 1;
  const isShell = isTight && /^[A-Z0-9_]+$/.test(text.slice(name.start, name.end));
  const isPlain = isShell || place.sign === 'netrc';
  const value = readUnquoted(text, place.valueStart, isPlain);
  const literal =
    isOption || isShell || place.sign === 'netrc' || isPlainLine(text, name, named, place, value.to, isTight);
  const secret = text.slice(value.from, value.to);
  if (isOption && /^[A-Z_]+$/.test(secret)) return null;
  if (place.sign === 'prose' && !/\d/.test(secret)) return null;
  const form = { quoted: false, human: named.human, literal };
  const isCode = !literal && /[([{<.`]/.test(text.charAt(value.to));
  const isSecret =
    isPlain || !secret.includes('&') ? !isCode && isSecretValue(secret, form) : isJoined(secret, form, isCode);
  return toSpan(text, isSecret ? readOn(text, value, isPlain) : value, named, isSecret);
}

/** With an `&` in it: what stands before it is a secret by itself, or all of it looks random. In code it may be `flags&MASK`. */
function isJoined(value: string, form: ValueForm, isCode: boolean): boolean {
  if (isSecretValue(value.slice(0, value.indexOf('&')), form)) return true;
  return !isCode && value.length >= 8 && mixture(value) >= 3 && /\d/.test(value) && isSecretValue(value, form);
}

// Places that hold plain values and no code: a query string, a line of a properties file, a password in YAML.
function isPlainLine(
  text: string,
  name: Name,
  named: NamedSecret,
  place: Place,
  valueEnd: number,
  isTight: boolean,
): boolean {
  if (isTight && /[?&]/.test(text.charAt(name.start - 1))) return true;
  const isLineEnd = valueEnd >= text.length || /[\r\n]/.test(text.charAt(valueEnd)) || text.startsWith('\\n', valueEnd);
  if (!isLineEnd || named.kind !== 'password') return false;
  const isYaml = place.sign === ':' && text.charAt(name.end) === ':' && place.valueStart > name.end + 1;
  const before = text.slice(Math.max(0, name.start - 24), name.start);
  return (isYaml || isTight) && /(?:^|\n|\\n)[ \t+\-→|\d]*$/.test(before);
}

// <password>…</password>, but not the C<passwd> of a manual page nor the <password> of a pattern to fill in.
function isElement(text: string, nameStart: number, valueStart: number): boolean {
  const before = text.charAt(nameStart - 2);
  return (
    text.charAt(nameStart - 1) === '<' && !/\w/.test(before) && text.startsWith('</', endOfElement(text, valueStart))
  );
}

function endOfElement(text: string, from: number): number {
  const end = text.slice(from, from + 1024).search(/[<\n]/);
  return end < 0 ? Math.min(text.length, from + 1024) : from + end;
}

function toSpan(text: string, value: { from: number; to: number }, named: NamedSecret, isSecret: boolean): Span | null {
  if (!isSecret || text.startsWith('[secret:', value.from)) return null;
  return { from: value.from, to: value.to, kind: named.kind, hashed: isHashable(named, value.to - value.from) };
}

/** A short or human secret could be guessed from its hash. */
export function isHashable(named: NamedSecret, length: number): boolean {
  return !named.human && length >= 20;
}
