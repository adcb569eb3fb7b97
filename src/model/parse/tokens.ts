// An answer as a row of our own tags and the text between them. Whatever is not one of our tags is text: models write code unescaped.
// Not a general XML parser on purpose: `i <n` would open an element there and swallow the rest, and its stack costs time squared.
import { decodeEntities } from './entities.ts';
import { isOurs, nameOf, startsOurs } from './grammar.ts';

/** `source` is the tag as it was written, for the places where it turns out to be quoted text. */
export type Token = { kind: 'text'; text: string } | { kind: 'open' | 'close'; name: string; source: string };

/** `isCut`: the text ends inside of a tag or CDATA. */
type Mark = { end: number; token: Token | null; isCut?: boolean };

export function readTokens(text: string): { tokens: Token[]; isCut: boolean } {
  const tokens: Token[] = [];
  const readMark = markReader(text);
  let from = 0;
  let isCut = false;
  for (let at = text.indexOf('<'); at >= 0; ) {
    const mark = readMark(at);
    if (mark) {
      pushText(tokens, text.slice(from, at));
      if (mark.token) tokens.push(mark.token);
      isCut ||= mark.isCut === true;
      from = mark.end;
    }
    at = text.indexOf('<', mark ? mark.end : at + 1);
  }
  pushText(tokens, withoutHalfEntity(text.slice(from)));
  return { tokens, isCut };
}

function pushText(tokens: Token[], source: string): void {
  if (source !== '') tokens.push({ kind: 'text', text: decodeEntities(source) });
}

function withoutHalfEntity(text: string): string {
  const half = /&#?\w{0,8}$/.exec(text.slice(-10));
  return half ? text.slice(0, text.length - half[0].length) : text;
}

const DECLARATION = /<!\[cdata\[|<!--|<\?xml\b/iy;
const CDATA = '<![CDATA[';

/** Reads what begins at a `<`; null when that is only a character. */
function markReader(text: string): (at: number) => Mark | null {
  const find = finder(text);
  return (at) => {
    DECLARATION.lastIndex = at;
    const opening = /[!?]/.test(text.charAt(at + 1)) ? DECLARATION.exec(text)?.[0].toLowerCase() : null;
    if (!opening) return readTag(text, at);
    if (opening === '<![cdata[') return readCdata(text, at + opening.length, find(']]>', at));
    const closing = opening === '<!--' ? '-->' : '?>';
    const end = find(closing, at + opening.length);
    // What ends inside of CDATA has not begun as a comment: it would lay bare what the CDATA holds.
    return end === text.length || find(CDATA, at) < end ? null : { end: end + closing.length, token: null };
  };
}

/** The next place of a string, or the end of the text. Asked from left to right, each part of the text is searched once. */
function finder(text: string): (wanted: string, from: number) => number {
  const known = new Map<string, number>();
  return (wanted, from) => {
    const last = known.get(wanted) ?? -1;
    if (last >= from) return last;
    const at = text.indexOf(wanted, from);
    known.set(wanted, at < 0 ? text.length : at);
    return at < 0 ? text.length : at;
  };
}

/** Never closed, it is text to the end all the same: what stands in it must not become markup. */
function readCdata(text: string, start: number, end: number): Mark {
  const isCut = end === text.length;
  return { end: isCut ? end : end + 3, token: { kind: 'text', text: text.slice(start, end) }, isCut };
}

const TAG = /<(\/\s*)?([a-z][\w-]{0,29})(?=[\s/>])/iy;
/** More than any tag of ours has with all its fields as attributes. */
const LONGEST_TAG = 10_000;
const MOST_QUOTED = 20;

function readTag(text: string, at: number): Mark | null {
  TAG.lastIndex = at;
  const [start, slash, tag] = TAG.exec(text) ?? [];
  if (start === undefined || tag === undefined) return readHalfTag(text, at);
  const name = nameOf(tag);
  if (!isOurs(name)) return null;
  const last = findTagEnd(text, at + start.length);
  if (last === null) return null;
  if (last === text.length) return { end: last, token: null, isCut: true };
  const source = text.slice(at, last + 1);
  return { end: last + 1, token: { kind: slash === undefined ? 'open' : 'close', name, source } };
}

/** The place of the `>`, the length of the text when that ends first, null when this cannot be a tag. */
function findTagEnd(text: string, from: number): number | null {
  const limit = Math.min(text.length, from + LONGEST_TAG);
  let before = '';
  let quoted = 0;
  for (let at = from; at < limit && quoted <= MOST_QUOTED; at++) {
    const here = text.charAt(at);
    if (here === '>') return at;
    if (here === '<') return null;
    if ((here === '"' || here === "'") && before === '=') {
      at = skipQuoted(text, at, limit);
      quoted++;
    }
    if (here.trim() !== '') before = here;
  }
  return limit === text.length && quoted <= MOST_QUOTED ? limit : null;
}

/** A quote that nobody closes, or only what stands in CDATA, is a slip of the pen: the tag ends where it would without it. */
function skipQuoted(text: string, at: number, limit: number): number {
  const length = text.slice(at + 1, limit).indexOf(text.charAt(at));
  const isQuoted = length >= 0 && !text.slice(at + 1, at + 1 + length).includes(CDATA);
  return isQuoted ? at + 1 + length : at;
}

function readHalfTag(text: string, at: number): Mark | null {
  const rest = text.slice(at, at + 40);
  if (at + rest.length < text.length) return null;
  const name = /^<\/?([\w-]*)$/.exec(rest)?.[1];
  const isHalf = name === undefined ? CDATA.startsWith(rest.toUpperCase()) : startsOurs(nameOf(name));
  return isHalf ? { end: text.length, token: null, isCut: true } : null;
}
