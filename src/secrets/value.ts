// Reads how far a value goes in a text, and judges it: is it a secret, or code, a placeholder, a path, a label?
import type { By } from './name.ts';
import { wordPattern } from './table.ts';

type ValueForm = {
  /** Stood in quotes, or is a string of a JSON value. */
  quoted: boolean;
  /** A person may have chosen a plain word; a login is user:password in base64. */
  by: By;
  /** The place is one where only plain values stand (NAME=value in an environment, a query string, an option). */
  literal: boolean;
};

const isStandIn = wordPattern('placeholder');
const isTemplate = wordPattern('template');
const isCodeWord = wordPattern('code');
const CODE_NAME = /^[A-Za-z_$][\w$]*(?:\??[.:]{1,2}[A-Za-z_$][\w$]*)+$/;
const PATH = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:[\\/]|[a-z][\w+.-]*:\/\/)[^\s]*$/;
/** One of sixty-four texts in base64 begins like a path; but few of them have two more of these signs, and all change without rest. */
const BASE64 = /^\/(?:[A-Za-z0-9+]+\/?){1,2}[A-Za-z0-9+]+={0,2}$/;
const isPath = (value: string): boolean =>
  PATH.test(value) && !(value.length >= 24 && BASE64.test(value) && mixture(value) * 3 >= Math.min(value.length, 64));

export function isSecretValue(value: string, form: ValueForm): boolean {
  if (value.length < 3 || isPlaceholder(value) || isCodeWord().test(value) || isPath(value)) return false;
  if ((/^[A-Z][A-Z_]*$/.test(value) && !form.literal) || /^(?:0x[\da-f]{1,8}|\d+(?:\.\d+)+)$/i.test(value)) return false;
  if (form.by === 'login') return isUserAndPassword(value);
  if (form.by === 'word' && /[^!-~]/.test(value)) return false;
  return form.by === 'machine' ? isMachineSecret(value, form) : isPassword(value, form);
}

export function isPlaceholder(value: string): boolean {
  return value === '' || isStandIn().test(value) || isTemplate().test(value) || new Set(value.slice(0, 64)).size < 3;
}

/** How often the kind of character changes (small, capital, digit, sign): words have few changes, random text many. */
export function mixture(value: string): number {
  let changes = 0;
  let last = 0;
  for (let i = 0; i < Math.min(value.length, 64); i++) {
    const kind = kindOf(value.charCodeAt(i));
    // A capital that begins a word of camelCase is no sign of chance.
    if (last !== 0 && kind !== last && !(last === 2 && kind === 1)) changes++;
    last = kind;
  }
  return changes;
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 3 : 4;
}

function isPassword(value: string, form: ValueForm): boolean {
  // What stands between two texts in quotes begins and ends with a blank.
  if (/\s/.test(value)) return form.quoted && !/^\s.*\s$/s.test(value) && !isLabel(value);
  // A command of PowerShell.
  if (!form.quoted && /^[A-Z][A-Za-z]+-[A-Z][A-Za-z]+$/.test(value)) return false;
  if (form.quoted) return !isReference(value);
  if (form.literal) return !CODE_NAME.test(value) || /\d/.test(value);
  const isOther = /^(?:[([{|&*+=;,)]|[!~-]+[A-Za-z_$])/.test(value) && !(value.length >= 16 && /^-\w/.test(value) && isRandom(value));
  return /[^\p{L}_.]/u.test(value) && !isNameInCode(value) && !isOther && value.length >= 4;
}

/** config.password, v2Config.dbPassword; not what looks as if a generator had put a dot in it. */
const isNameInCode = (value: string): boolean => CODE_NAME.test(value) && !(isRandom(value) && /\d\D*[A-Za-z]\D*\d/.test(value));

// "Enter your password", "Mot de passe": what a form shows.
function isLabel(value: string): boolean {
  return (
    (/^\p{Lu}/u.test(value) && !/\d/.test(value)) ||
    value.split(/\s+/).length > 8 ||
    /^(?:is|are|must|should|can|has|the|at|please|not) /.test(value) ||
    /passw|kennwort|contrase|mot de passe|senha|passphrase|secret|token|[.?!:]$|\u2026/i.test(value)
  );
}

// auth.password.label, #password, input[name=x], /regex/, required|min:8: the value names another thing.
function isReference(value: string): boolean {
  if (/^[a-z]+(?:[A-Z][a-z]+){0,6}(?:Password|Secret|Token|Key)$/.test(value)) return true;
  if (/^[a-z]+(?:\|[a-z_]+(?::[\w,]*)?)+$/.test(value)) return true;
  return (/^[a-z]+(?:[.:][A-Za-z_]+)+$/.test(value) || /^[#.[/][\w-]*[\w\]/=-]*$/.test(value)) && !/\d/.test(value);
}

function isMachineSecret(value: string, form: ValueForm): boolean {
  if (isDense(value)) return true;
  if (value.length < 8 || value.length > 8192 || /\s|abcdefghijklmnopqrstuvwxyz/i.test(value)) return false;
  const changes = mixture(value);
  if ((CODE_NAME.test(value) && changes < 10) || isWords(value)) return false;
  if (form.literal) return /\d/.test(value) ? value.length >= 12 || changes >= 2 : value.length >= 16 && changes * 4 >= value.length;
  // Brackets and backslashes: a regular expression, a type, a call.
  if (/[\\()[\]{}<>^"'`]/.test(value)) return false;
  if (!/\d/.test(value)) return form.quoted && value.length >= 16 && changes * 4 >= value.length;
  return form.quoted ? changes >= 2 || value.length >= 24 : value.length >= 16 && changes >= 3;
}

/** As many kinds of signs as a generator uses, brackets and blanks among them: no text and no pattern is like that. */
function isDense(value: string): boolean {
  const length = Math.min(value.length, 64);
  return value.length >= 32 && value.length <= 256 && mixture(value) * 9 >= length * 4 && new Set(value.match(/\d/g)).size >= 3;
}

/** Looks like nothing that a person wrote. */
export function isRandom(value: string): boolean {
  return value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value) && mixture(value) >= 3 && !isWords(value) && !isPlaceholder(value);
}

// my-app-token-v2, rsa-sha2-512, refresh_token_expired: words joined by signs, with short numbers at most.
function isWords(value: string): boolean {
  return /^(?:[A-Za-z]{0,20}\d{0,4})(?:[-_./: ][A-Za-z]{0,20}\d{0,4})+$/.test(value) && !/\d[-_./: ]?[A-Za-z]+\d/.test(value);
}

export const isCodeName = (value: string): boolean => CODE_NAME.test(value);

export function isUserAndPassword(base64: string): boolean {
  try {
    return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,200}$/.test(atob(base64));
  } catch {
    return false; // not base64, so an ordinary word
  }
}

const LONGEST_QUOTED = 8192;
const LONGEST_IN_PROSE = 256;
const OPENING = /(?:[brufNBRUFL@$]{0,2}#{0,3})(\\{0,3})(["'`\u2018\u201c\u00ab\u300c])/y;
const CLOSING: Record<string, string> = {
  '\u2018': '\u2019',
  '\u201c': '\u201d',
  '\u00ab': '\u00bb',
  '\u300c': '\u300d',
};
// A bare value ends at a blank, a quote or an escaped one; in code also at the signs that end an expression.
const BARE = /(?:[^\s"'`\\\x1b%]|%(?!(?:25)?22)|\\(?![nrt"'\\]|u00)){1,256}/y;
// An `&` is one of those only before the next parameter of a query or as a part of `&&` or `&quot;`: passwords have it, too.
const BARE_IN_CODE = new RegExp(
  String.raw`(?:[^\s"'\x60,;&<>(){}[\]|\\\x1b%]|%(?!(?:25)?22)|&(?:amp;)?(?!&|[\w.%[\]-]{1,64}=|(?:amp|quot|apos|lt` +
    String.raw`|gt|nbsp|#\w{1,5});)|\\(?![nrt"'\\]|u00)){1,256}`,
  'y',
);

type Range = { from: number; to: number };

/** Null if no quote opens here. A missing closing quote ends the value at the end of its line: texts are cut anywhere. */
export function readQuoted(text: string, at: number): Range | null {
  OPENING.lastIndex = at;
  const bracketed = readBracketed(text, at);
  const opening = bracketed === null ? OPENING.exec(text) : null;
  if (opening === null) return bracketed;
  const [whole, { length: depth } = '', opened = ''] = opening;
  const quote = CLOSING[opened] ?? opened;
  if (text.startsWith(opened + opened, at + whole.length)) return readTripled(text, at + whole.length + 2, opened.repeat(3));
  const from = at + whole.length + (opened === '\u00ab' && text.charAt(at + whole.length) === ' ' ? 1 : 0);
  const limit = Math.min(text.length, from + (quote === opened ? LONGEST_QUOTED : LONGEST_IN_PROSE));
  for (let i = from; i < limit; i++) {
    const char = text.charAt(i);
    if (char === '\n' && quote !== '`') return { from, to: i };
    if (char !== quote) continue;
    if (quote === '\u00bb' && text.charAt(i - 1) === ' ') return { from, to: i - 1 };
    const escapes = countBackslashes(text, from, i);
    // A quote that belongs to the value itself is escaped once more than the quotes around it.
    if (escapes <= depth) return { from, to: i - escapes };
  }
  return { from, to: limit };
}

const BRACKET = /\[(=*)\[|R"(\w{0,16})\(|(?:qq?|%[qQ])([({[<|!])/y;
const CLOSED_BY: Record<string, string> = { '(': ')', '{': '}', '[': ']', '<': '>' };

/** [[…]] of Lua, q{…} of Perl, %q(…) of Ruby, R"(…)" of C++: in one line. */
function readBracketed(text: string, at: number): Range | null {
  BRACKET.lastIndex = at;
  const opening = BRACKET.exec(text);
  if (opening === null) return null;
  const [whole, equals, delimiter, bracket] = opening;
  const from = at + whole.length;
  const quote = delimiter === undefined ? `]${equals}]` : `)${delimiter}"`;
  const closing = bracket === undefined ? quote : (CLOSED_BY[bracket] ?? bracket);
  const line = /^[^\n]*/.exec(text.slice(from, from + LONGEST_IN_PROSE))?.[0] ?? '';
  const length = line.indexOf(closing);
  return length < 0 ? null : { from, to: from + length };
}

/** """…""", of TOML and Python: may begin in the next line. */
function readTripled(text: string, at: number, quotes: string): Range {
  const from = at + (/^\\?\r?\n/.exec(text.slice(at, at + 3))?.[0].length ?? 0);
  const end = text.slice(from, from + LONGEST_QUOTED).indexOf(quotes);
  return { from, to: end < 0 ? from : from + end };
}

/** At most 256 characters, enough to judge by; `readOn` finds the end of what turned out to be a secret. */
export function readUnquoted(text: string, at: number, isPlain: boolean): Range {
  const pattern = isPlain ? BARE : BARE_IN_CODE;
  pattern.lastIndex = at;
  return { from: at, to: pattern.test(text) ? pattern.lastIndex : at };
}

export function readOn(text: string, range: Range, isPlain: boolean): Range {
  const pattern = isPlain ? BARE : BARE_IN_CODE;
  pattern.lastIndex = range.to;
  let { to } = range;
  while (pattern.test(text)) to = pattern.lastIndex;
  return { from: range.from, to };
}

// Bounded: more than a handful never means an escape, and long runs must not be counted again and again.
function countBackslashes(text: string, from: number, quoteAt: number): number {
  let count = 0;
  while (count < 8 && quoteAt - count > from && text.charAt(quoteAt - count - 1) === '\\') count++;
  return count;
}

const LONGEST_BLOCK = 16_384;

/** The lines from here on that stand as far in as the first of them. */
export function readBlock(text: string, at: number): Range {
  const indent = /^[ \t]+/.exec(text.slice(at, at + 80))?.[0] ?? '';
  const from = at + indent.length;
  let to = from;
  while (indent !== '' && to - at < LONGEST_BLOCK) {
    const end = text.indexOf('\n', to);
    to = end < 0 ? text.length : end;
    if (end < 0 || !text.startsWith(indent, end + 1)) break;
    to = end + 1 + indent.length;
  }
  return { from, to: text.charAt(to - 1) === '\r' ? to - 1 : to };
}
