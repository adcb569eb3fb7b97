// Passwords that programs and functions take by their place: curl -u, mysql -p, echo … | login, IDENTIFIED BY, login("joe", "…").
import { type Find, lazyPattern, type Span } from './span.ts';
import { readTable, wordPattern } from './table.ts';
import callTable from './tables/calls.txt' with { type: 'text' };
import commandTable from './tables/commands.txt' with { type: 'text' };
import { isRandom, isSecretValue, readQuoted } from './value.ts';

const REACH = 200;
const SECRET = String.raw`(?:\\{0,3}'([^'\n\\]{1,256})|\\{0,3}"([^"\n\\]{1,256})|([^\s'"\\-][^\s'"\\]{1,256}))`;

/** The option begins at its blank; the program must stand before it in the same command. */
export function readOptions(): { literals: string[]; option: string; programs: string; find: Find }[] {
  return readTable(commandTable).map(([programs = '', option = '']) => {
    const [before = ''] = option.split('{');
    const literal = before.replace(/[ :%,]+$/, '').padEnd(2, ' ');
    const pattern = lazyPattern(() => toPattern(option), 'y');
    const program = lazyPattern(
      () =>
        String.raw`(?<!\w)(?:${programs.replaceAll('.', '\\.').replaceAll('+', '[^\\n;|]{1,60}').replaceAll(' ', '|')})` +
        String.raw`(?:\.exe)?(?=[\s"'])[^\n;|]*$`,
    );
    const find: Find = ({ text }, at) => {
      const lead = text.slice(Math.max(0, at - REACH), at).replace(/\\\r?\n/g, ' ');
      return program().test(`${lead} `) ? take(pattern(), text, at) : null;
    };
    // In a list of arguments each of them stands in quotes.
    const leads = literal.includes(' ') ? [' '] : [' ', '"', "'"];
    return { literals: leads.map((lead) => lead + literal), option, programs, find };
  });
}

function toPattern(option: string): string {
  const parts = ` ${option}`.split(/(\{secret\}|\{user\}|\{word\}| )/);
  return parts
    .map((part, i) => {
      if (part === '{secret}') return SECRET;
      if (part === '{user}') return String.raw`\\{0,3}['"]?[^\s:'"%\\]{0,64}\\{0,3}['"]?`.replace(/\\\\\{0,3\}\['"\]\?$/, '');
      if (part === '{word}') return String.raw`(?:"[^"\n]{1,100}"|'[^'\n]{1,100}'|[^\s]{1,200})`;
      if (part === ' ') return i <= 1 ? `[ "']` : String.raw`(?:[ \t]{1,4}|=|["'],\s{0,8}(?=["']))(?:\\\r?\n[ \t]{0,16})?`;
      return part.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
    })
    .join('');
}

const IDENTIFIED = new RegExp(
  String.raw`identified\s{1,4}(?:with\s{1,4}\S{1,40}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?` +
    String.raw`(?:\\{0,3}'([^'\\\n]{1,256})|\\{0,3}"([^"\\\n]{1,256}))`,
  'iy',
);
const IDENTIFIED_BARE = /identified[ \t]{1,4}by[ \t]{1,4}([^\s'"`\\;,.]{3,64})(?=[\s;]|$)/iy;
const USER = /\b(?:(?:create|alter)\s{1,4}(?:user|role)|(?:grant|connect)\b[^\n;]{0,80}?\sto)\b[^\n;]{0,120}$/i;

export const findSqlPassword: Find = ({ text }, at) => {
  const quoted = take(IDENTIFIED, text, at);
  if (quoted !== null || !USER.test(text.slice(Math.max(0, at - 160), at))) return quoted;
  return take(IDENTIFIED_BARE, text, at);
};

// What is handed on to a program that reads a password, or to a file of passwords.
const reader = wordPattern('reader');
const ECHO = /(?:echo|printf|yes|Write-Output)[ \t]{1,4}(?:-[neE]{1,3}[ \t]{1,4}|\\{0,3}['"]?%s(?:\\{1,2}n)?\\{0,3}['"]?[ \t]{1,4})*/y;
const here = wordPattern('here');

/** echo … | docker login --password-stdin */
export const findEchoed: Find = ({ text }, at) => {
  ECHO.lastIndex = at;
  if (!ECHO.test(text)) return null;
  const from = ECHO.lastIndex;
  const quoted = readQuoted(text, from);
  const bare = /^[^\s|"'`;&<>]{2,200}/.exec(text.slice(from, from + 201))?.[0] ?? '';
  const range = quoted ?? { from, to: from + bare.length };
  if (!reader().test(text.slice(range.to, range.to + 260))) return null;
  return toPassword(text, range.from, range.to);
};

/** docker login --password-stdin <<< … */
export const findHereString: Find = ({ text }, at) => {
  // More than three are a mark of a conflict or a drawing, and would be looked at one by one.
  if (text[at - 1] === '<' || text[at + 3] === '<') return null;
  const line = text.slice(Math.max(0, at - 240), at + 4).replace(/^.*\n/s, '');
  if (!here().test(`${line.trimEnd()} `)) return null;
  const blanks = /^<<<[ \t]{0,4}/.exec(text.slice(at, at + 8))?.[0].length ?? 0;
  const range = readQuoted(text, at + blanks);
  const bare = /^[^\s"'`;&|<>]{2,200}/.exec(text.slice(at + blanks, at + 210))?.[0] ?? '';
  return toPassword(text, range?.from ?? at + blanks, range?.to ?? at + blanks + bare.length);
};

export const readCalls = (): { value: string; functions: string[] }[] =>
  readTable(callTable).map(([value = '', functions = '']) => ({ value, functions: functions.split(' ') }));

export const findInCall =
  (value: string): Find =>
  ({ text }, at, literal) =>
    findArgument(text, at + literal.length, value);

const ARGUMENT = /\s{0,20}(?:[\w.]{1,20}\s?[=:]\s?)?(?:Some\()?/y;
/** An object or a list in an argument is part of it, with its texts and commas, where it ends in that line. Nothing is read in two ways. */
const AFTER_ARGUMENT =
  /(?:(?=(\{[^{}\n]{0,200}\}|\[[^[\]\n]{0,200}\]|[^"'`,()\n]|\([^()"'`\n]{0,60}\)))\1){0,80}\\{0,3}["'`]?\s{0,20}([,)])/y;

/** The last of the texts that the call is given, when it is given two or more things. */
function findArgument(text: string, at: number, value: string): Span | null {
  const open = /^(?:<[\w, ]{0,40}>)?\(/.exec(text.slice(at, at + 50));
  if (open === null) return null;
  let next = at + open[0].length;
  let last: { from: number; to: number } | null = null;
  const place = Number(value.split(':')[1] ?? 0);
  let count = 0;
  for (; count < 6; count++) {
    ARGUMENT.lastIndex = next;
    if (ARGUMENT.test(text)) next = ARGUMENT.lastIndex;
    const quoted = readQuoted(text.slice(0, next + 300), next);
    if (quoted !== null && (place === 0 ? count > 0 : count + 1 === place)) last = quoted;
    if (count + 1 === place) break;
    AFTER_ARGUMENT.lastIndex = quoted?.to ?? next;
    const after = AFTER_ARGUMENT.exec(text);
    if (after === null || after[2] === ')') break;
    next = AFTER_ARGUMENT.lastIndex;
  }
  if (last === null) return null;
  const secret = text.slice(last.from, last.to);
  const isSecret = value.startsWith('random') ? isRandom(secret) : isSecretValue(secret, { quoted: true, by: 'human', literal: false });
  return isSecret && !/\s/.test(secret) ? toPassword(text, last.from, last.to) : null;
}

function take(pattern: RegExp, text: string, at: number): Span | null {
  pattern.lastIndex = at;
  const password = pattern
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);
  return password === undefined ? null : toPassword(text, pattern.lastIndex - password.length, pattern.lastIndex);
}

function toPassword(text: string, from: number, to: number): Span | null {
  if (!isSecretValue(text.slice(from, to), { quoted: true, by: 'human', literal: true })) return null;
  return { from, to, kind: 'password', hashed: false };
}
