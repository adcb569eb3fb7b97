// Finds secrets by the name that stands beside them: NAME=value, "name": "value", --name value, <name>value</name> and kin.

import type { NamedSecret } from './name.ts';
import type { Name, Place } from './place.ts';
import { findAuthorization, findCookie } from './request.ts';
import { findRows } from './rows.ts';
import type { Scan, Span } from './span.ts';
import { wordPattern } from './table.ts';
import { isRandom, isSecretValue, mixture, readBlock, readOn, readQuoted, readUnquoted } from './value.ts';

const NAME_REACH = 64;
const FOLLOWS_NAME = /["'`\\[\]?\s=:,;>%&.()<|*\u2019\u201d\u300d\uff1a\uff1d\u3000-\u9fff\uac00-\ud7af]/;

export type Context = {
  judgeName: (name: string) => NamedSecret | null;
  findPlace: (at: { text: string; name: Name; named: NamedSecret; start: number }) => Place | null;
  findTokenAt: (scan: Scan, at: number) => Span | null;
};

export function findAssigned(context: Context, scan: Scan, at: number, part: string): Span | null {
  const { text } = scan;
  const name = readName(text, at, part);
  if (name === null) return null;
  const named = context.judgeName(text.slice(name.start, name.end));
  if (named === null) return null;
  findRows(context.judgeName, scan, name);
  // `: Digest username="joe"` looks like a type and its value.
  const header = named.kind === 'authorization' ? LISTED_HEADER.exec(text.slice(name.end, name.end + 40)) : null;
  if (header) return findAuthorization(context, scan, name.end + header[0].length);
  const place = context.findPlace({ text, name, named, start: name.end });
  if (place === null) return findBefore(scan, name, named);
  if (named.kind === 'authorization') return findAuthorization(context, scan, place.start);
  if (named.kind === 'cookie') return findCookie(text, place.start, text.charAt(name.end) === ':');
  const span = readSecret(text, name, named, place);
  if (span === null) return findBefore(scan, name, named);
  // --secret dbPassword: the value is a name itself.
  if (span.to - span.from < 40 && context.judgeName(text.slice(span.from, span.to)) !== null && !/\d/.test(text.slice(span.from, span.to)))
    return null;
  // A value that is all one known token is left to its own rule: its kind says more.
  const token = context.findTokenAt(scan, span.from);
  return token !== null && token.from === span.from && token.to >= span.to ? null : span;
}

const LISTED_HEADER = /^:[ \t]{0,4}(?=(?:digest|hawk|oauth)[ \t]+\w+=)/i;

// "API key: …" as people write it: the word before belongs to the name.
const firstWord = wordPattern('first-word');

function readName(text: string, at: number, part: string): Name | null {
  if (/[ \u0530-\u1dff\u2e80-\uffef]/.test(part)) return { start: at, end: at + part.length, isOption: false, isWritten: true };
  const first = isNameChar(text.charCodeAt(at), false) ? at : at + 1;
  return readAround(text, first);
}

function readAround(text: string, at: number): Name | null {
  let end = at;
  while (end - at < NAME_REACH && isNameChar(text.charCodeAt(end), false)) end++;
  if (end < text.length && !FOLLOWS_NAME.test(text.charAt(end))) return null;
  let start = at;
  while (at - start < NAME_REACH && start > 0 && isNameChar(text.charCodeAt(start - 1), true)) start--;
  if (text.charAt(start - 1) === '\\' && /[nrt]/.test(text.charAt(start)) && start < at) start++;
  // %22password%22
  if (text.charAt(start - 1) === '%' && at - start >= 2) start += 2;
  const dashes = start;
  while (start < at && /[-.]/.test(text.charAt(start))) start++;
  const before = end - start === 3 ? (firstWord().exec(text.slice(Math.max(0, start - 32), start))?.[0].length ?? 0) : 0;
  return { start: start - before, end, isOption: text.charAt(dashes) === '-', isWritten: before > 0 };
}

function isNameChar(code: number, withDot: boolean): boolean {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return true;
  if ((code >= 48 && code <= 57) || code === 95 || code === 45) return true;
  // Latin with accents, Greek, Cyrillic.
  return (
    (withDot && code === 46) || (code >= 0xc0 && code <= 0x52f && code !== 0xd7 && code !== 0xf7) || (code >= 0x1e00 && code <= 0x1fff)
  );
}

function readSecret(text: string, name: Name, named: NamedSecret, place: Place): Span | null {
  if (place.how === 'block') return toSpan(text, readBlock(text, place.start), named, true);
  if (place.how === 'element') return readElement(text, named, place.start);
  const start = place.how === 'call' ? startOfLastArgument(text, place.start) : place.start;
  const quoted = readQuoted(text, start);
  if (quoted !== null) return readInQuotes(text, name, named, place, quoted);
  return /list|call|argument/.test(place.how) ? null : readBare(text, name, named, place);
}

/** #define PASSWORD "…", (setq password "…"), {:password "…"} */
function isCodeBefore(text: string, { start, end }: Name): boolean {
  if (/[_A-Z]/.test(text.slice(start + 1, end))) return true;
  return /(?:[:(]|\b(?:define|setq|def|set) )$/.test(text.slice(Math.max(0, start - 12), start));
}

type Range = { from: number; to: number };

function readInQuotes(text: string, name: Name, named: NamedSecret, place: Place, value: Range): Span | null {
  const secret = text.slice(value.from, value.to);
  // Lists of words look like name, value too: there only what looks random counts.
  if (place.how === 'list' && !name.isOption && (mixture(secret) < 3 || !/\d/.test(secret))) return null;
  if (place.how === 'beside' && !/\d/.test(secret) && !isCodeBefore(text, name)) return null;
  if ((place.how === 'beside' || place.how === 'sentence') && (/\s/.test(secret) || secret.length < 5)) return null;
  const isLiteral = place.how === 'literal' && name.isOption;
  return toSpan(text, value, named, isSecretValue(secret, { quoted: true, by: named.by, literal: isLiteral }));
}

function readBare(text: string, name: Name, named: NamedSecret, place: Place): Span | null {
  const isTight = text.charAt(name.end) === '=' && place.start === name.end + 1;
  const isShell = isTight && /^[A-Z0-9_]+$/.test(text.slice(name.start, name.end));
  const isOption = name.isOption && (place.how === 'literal' || isTight);
  const isPlain = isShell || place.how === 'literal';
  const value = readUnquoted(text, place.start, isPlain);
  const literal = isOption || isPlain || isPlainLine(text, name, named, place.start, value.to, isTight);
  const secret = text.slice(value.from, value.to);
  // A bracket begins an expression of the shell, which has a place of its own for what is secret.
  if (isOption && /^(?:[A-Z_]+$|\()/.test(secret)) return null;
  if (place.how === 'sentence' || place.how === 'beside')
    return readSpoken(text, value, named, place.how === 'beside', place.start - name.end);
  const form = { quoted: false, by: named.by, literal };
  const isCode = !literal && goesOn(text, name, value.to);
  const isSecret = isPlain || !secret.includes('&') ? !isCode && isSecretValue(secret, form) : isJoined(secret, form, isCode);
  return toSpan(text, isSecret ? readOn(text, value, isPlain) : value, named, isSecret);
}

/** A call, a type or a template follows: an expression. Not so the end of an element, or of the code span that the name stands in. */
function goesOn(text: string, { start }: Name, at: number): boolean {
  if (text.startsWith('</', at)) return false;
  if (text.charAt(at) !== '`') return /[([{<.]/.test(text.charAt(at));
  const line = text.slice(Math.max(0, start - 200), start);
  return line.slice(line.lastIndexOf('\n') + 1).split('`').length % 2 === 1;
}

const noPassword = wordPattern('no-password');

/** In a sentence a word may follow that is no password: it must look like one. */
function readSpoken(text: string, value: Range, named: NamedSecret, isBeside: boolean, distance: number): Span | null {
  const secret = text.slice(value.from, value.to).replace(/[.,;:!?)*]+$/, '');
  const range = { from: value.from, to: value.from + secret.length };
  if (!/\d/.test(secret) || !isSecretValue(secret, { quoted: false, by: named.by, literal: true })) return null;
  const isNear = distance <= 12;
  const isLike = named.by !== 'human' || isNear ? true : mixture(secret) >= 2 || !noPassword().test(secret);
  const isWord = isBeside && named.by === 'human' && (mixture(secret) < 2 || noPassword().test(secret));
  return toSpan(text, range, named, isLike && !isWord && /[A-Za-z]/.test(secret) && secret.length >= 5);
}

type Form = Parameters<typeof isSecretValue>[1];

/** With an `&` in it: what stands before it is a secret by itself, or all of it looks random. In code it may be `flags&MASK`. */
function isJoined(value: string, form: Form, isCode: boolean): boolean {
  if (isSecretValue(value.slice(0, value.indexOf('&')), form)) return true;
  return !isCode && value.length >= 8 && mixture(value) >= 3 && /\d/.test(value) && isSecretValue(value, form);
}

const LINE_START = /(?:^|\n|\\n)(?:[ \t+\-→|\d>*]{0,24})$/;

// Server=db;Password=…, host=db password=…
const PAIR_BEFORE = /(?:^|[\s;"'>])[A-Za-z][\w ]{0,24}=[^\s;="'(){}]{1,80}(?:;|[ \t])[ \t]?$/;

// Places that hold plain values and no code: a query string, a line of a properties file, a password in YAML.
function isPlainLine(text: string, name: Name, named: NamedSecret, start: number, end: number, isTight: boolean): boolean {
  if (isTight && /[?&]/.test(text.charAt(name.start - 1))) return true;
  if (isTight && /(?:^|[\s"'])--?[\w-]{1,24}[ =]["']?$/.test(text.slice(Math.max(0, name.start - 28), name.start))) return true;
  if (isTight && PAIR_BEFORE.test(text.slice(Math.max(0, name.start - 140), name.start))) return true;
  const isLineEnd = end >= text.length || /[\r\n]/.test(text.charAt(end)) || text.startsWith('\\n', end) || text.startsWith(' #', end);
  if (!isLineEnd) return false;
  const before = text.slice(Math.max(0, name.start - 32), name.start);
  if (!LINE_START.test(before)) return false;
  if (isTight || (text.charAt(name.end) === ':' && start > name.end + 1)) return true;
  return named.by === 'human' && /\n?\[[\w .:-]{1,64}\]\s*\n/.test(text.slice(Math.max(0, name.start - 600), name.start));
}

function startOfLastArgument(text: string, start: number): number {
  const call = text.slice(start, start + 400);
  let last = start;
  for (let at = 0, i = 0; i < 5; i++) {
    const quoted = readQuoted(call, at);
    if (quoted === null && i > 0) break;
    if (quoted !== null) last = start + at;
    const next = /^(?:[\w.$]{0,60})\\{0,3}["'`]?\s{0,20},\s{0,20}/.exec(call.slice(quoted?.to ?? at));
    if (next === null) break;
    at = (quoted?.to ?? at) + next[0].length;
  }
  return last;
}

function readElement(text: string, named: NamedSecret, start: number): Span | null {
  const end = text.slice(start, start + 1024).search(/[<\n]|\]\]>/);
  const to = end < 0 ? Math.min(text.length, start + 1024) : start + end;
  return toSpan(text, { from: start, to }, named, isSecretValue(text.slice(start, to), { quoted: true, by: named.by, literal: false }));
}

// "… is the password", "use … as password"
const QUOTED_WORD = String.raw`(["'\x60\u201c]?)([^\s"'\x60\u201c\u201d]{5,64})["'\x60\u201d]?`;
const IS = '(?:is|as|=|ist|als|est|comme|es|como|é)';
const ARTICLE = '(?:the|my|our|your|its|a|new|das|mein|unser|le|la|mon|el|o|mi|su)';
const BEFORE = new RegExp(
  String.raw`(?:^|[\s(])${QUOTED_WORD}[ \t]{1,2}${IS}[ \t]{1,2}(?:${ARTICLE}[ \t]{1,2}){0,2}` + String.raw`(?:[\w-]{1,20}[ \t]{1,2}){0,2}$`,
  'i',
);

function findBefore(scan: Scan, name: Name, named: NamedSecret): null {
  if (named.kind === 'authorization' || named.kind === 'cookie') return null;
  const lead = scan.text.slice(Math.max(0, name.start - 110), name.start);
  const found = / (?:is|as|=|ist|als|est|comme|es|como|é) /.test(lead.slice(-64)) ? BEFORE.exec(lead) : null;
  const value = found?.[2] ?? '';
  if (found === null || !/\d/.test(value) || !(mixture(value) >= 2 || (found[1] !== '' && value.length >= 6))) return null;
  if (!isSecretValue(value, { quoted: true, by: named.by, literal: false }) || (named.by === 'machine' && !isRandom(value))) return null;
  const from = name.start - lead.length + found.index + found[0].indexOf(value);
  const span = toSpan(scan.text, { from, to: from + value.length }, named, true);
  if (span !== null) scan.aside.push(span);
  return null;
}

function toSpan(text: string, value: Range, named: NamedSecret, isSecret: boolean): Span | null {
  if (!isSecret || value.to <= value.from || text.startsWith('[secret:', value.from)) return null;
  return { from: value.from, to: value.to, kind: named.kind, hashed: isHashable(named, value.to - value.from) };
}

/** A short or human secret could be guessed from its hash. */
export const isHashable = (named: NamedSecret, length: number): boolean => named.by === 'machine' && length >= 20;
