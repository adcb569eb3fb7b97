// The plain way to take private blocks out, one bracket after the other, however long it takes: what the quick one is compared with.
import { wordTable } from '../../src/core/text.ts';

const TAGS = new Set(['private', 'claude-mem-context', 'system-reminder']);
const LONGEST_NAME = 18;

// Everything that a later decoder (HTML, JSON, URL) would turn into '<' or '>'. Repetitions are bounded: linear on any input.
const OPENER = /[<＜]|&(?:amp;){0,4}(?:lt|#0{0,7}60(?!\d)|#x0{0,7}3c(?![\da-f]))|\\(?:u00|x)3c|%3c/gi;
const BRACKET = /[<>＜＞]|&(?:amp;){0,4}(?:[lg]t|#0{0,7}6[02](?!\d)|#x0{0,7}3[ce](?![\da-f]))|\\(?:u00|x)3[ce]|%3[ce]/gi;
const ESCAPE =
  /&(?:amp;){0,4}(?:#x([0-9a-f]{1,10})|#([0-9]{1,10})|(lt|gt|sol|nbsp|tab|shy|zwj));?|\\{1,8}(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([nrt/]))|%([0-9a-f]{2})/iy;
const NAMED = wordTable<string>({ lt: '<', gt: '>', sol: '/', nbsp: ' ', tab: ' ', shy: '\u00ad', zwj: '\u200d' });
const INVISIBLE = /[\0-\x08\x0e-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}]/u;
const SPACE = /\s/;

/**
 * Removes the blocks of our three tags, in any disguise a decoder would undo. Never leaks: a tag that is unclosed, nested in
 * itself or wrongly crossed takes everything from the outermost opening tag to the end of the text. A stray closing tag stays.
 */
export function stripSlowly(text: string): { text: string; stripped: boolean } {
  const open: string[] = [];
  let kept = '';
  let keptUpTo = 0;
  let blockStart = 0;
  let from = 0;
  for (;;) {
    const tag = nextTag(text, from);
    if (tag === null) break;
    from = tag.end;
    if (tag.closing) {
      if (open.length === 0) continue;
      if (tag.name !== open[open.length - 1]) {
        if (open.includes(tag.name)) break;
        continue;
      }
      open.pop();
      if (open.length > 0) continue;
      kept += text.slice(keptUpTo, blockStart);
      keptUpTo = tag.end;
      continue;
    }
    if (open.length === 0) blockStart = tag.start;
    const isNested = open.includes(tag.name);
    open.push(tag.name);
    if (isNested || !tag.complete) break;
  }
  if (open.length > 0) return { text: kept + text.slice(keptUpTo, blockStart), stripped: true };
  if (keptUpTo === 0) return { text, stripped: false };
  return { text: kept + text.slice(keptUpTo), stripped: true };
}

type Tag = { name: string; closing: boolean; start: number; end: number; complete: boolean };

function nextTag(text: string, from: number): Tag | null {
  OPENER.lastIndex = from;
  for (let found = OPENER.exec(text); found !== null; found = OPENER.exec(text)) {
    let afterBracket = OPENER.lastIndex;
    if (text[afterBracket] === ';') afterBracket++;
    const tag = readTag(text, found.index, afterBracket);
    if (tag !== null) return tag;
    OPENER.lastIndex = afterBracket;
  }
  return null;
}

function readTag(text: string, start: number, afterBracket: number): Tag | null {
  let at = skipBlank(text, afterBracket);
  const closing = readChar(text, at).char === '/';
  if (closing) at = skipBlank(text, readChar(text, at).end);
  let name = '';
  let next = readChar(text, at);
  while (name.length <= LONGEST_NAME && /^[a-z-]$/i.test(next.char)) {
    name += next.char.toLowerCase();
    at = skipInvisible(text, next.end);
    next = readChar(text, at);
  }
  if (!TAGS.has(name) || !/^[\s/>＞]?$/.test(next.char)) return null;
  return closing ? readClosing(text, name, start, at) : readOpening(text, name, start, at);
}

// A closing tag counts only when nothing but blanks comes before its '>': when in doubt the block stays open.
function readClosing(text: string, name: string, start: number, afterName: number): Tag | null {
  const bracket = readChar(text, skipBlank(text, afterName));
  if (bracket.char !== '>' && bracket.char !== '＞') return null;
  return { name, closing: true, start, end: bracket.end, complete: true };
}

// The text of the tag itself must be over before a closing tag is looked for, else one inside an attribute would end the block.
function readOpening(text: string, name: string, start: number, afterName: number): Tag {
  BRACKET.lastIndex = afterName;
  const bracket = BRACKET.exec(text);
  const complete = bracket !== null && /^>|^＞|gt|62|3e/i.test(bracket[0]);
  return { name, closing: false, start, end: bracket === null ? text.length : BRACKET.lastIndex, complete };
}

function skipBlank(text: string, from: number): number {
  let at = from;
  for (let next = readChar(text, at); SPACE.test(next.char) || INVISIBLE.test(next.char); next = readChar(text, at)) {
    at = next.end;
  }
  return at;
}

function skipInvisible(text: string, from: number): number {
  let at = from;
  for (let next = readChar(text, at); INVISIBLE.test(next.char); next = readChar(text, at)) at = next.end;
  return at;
}

/** One character as a decoder would see it; '' at the end of the text. */
function readChar(text: string, at: number): { char: string; end: number } {
  const code = text.codePointAt(at);
  if (code === undefined) return { char: '', end: at };
  const raw = code <= 0xffff ? text.charAt(at) : String.fromCodePoint(code);
  if (raw !== '&' && raw !== '\\' && raw !== '%') return { char: raw, end: at + raw.length };
  ESCAPE.lastIndex = at;
  const match = ESCAPE.exec(text);
  if (match === null) return { char: raw, end: at + 1 };
  return { char: decode(match), end: at + match[0].length };
}

function decode(match: RegExpExecArray): string {
  const [whole, entityHex, entityDecimal, named, unicode, byte, letter, percent] = match;
  if (named !== undefined) return NAMED[named.toLowerCase()] ?? whole;
  if (letter !== undefined) return letter === '/' ? '/' : ' ';
  const hex = entityHex ?? unicode ?? byte ?? percent;
  const code = hex === undefined ? Number(entityDecimal) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}
