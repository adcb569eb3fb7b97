// Removes what the user marked as private, and what hosts and we ourselves inject, before a text goes anywhere.
import { isBlank, toPlain } from '../secrets/plain.ts';
import { wordTable } from './text.ts';

const NAMES = ['private', 'claude-mem-context', 'system-reminder'];
const LONGEST_NAME = 18;

// Everything that a later decoder (HTML, JSON, URL) would turn into '<' or '>'. Repetitions are bounded: linear on any input.
const OPENER = String.raw`(?:[<＜]|&(?:amp;){0,4}(?:lt|#0{0,7}60(?!\d)|#x0{0,7}3c(?![\da-f]))|\\(?:u00|x)3c|%3c);?`;
const BRACKET = /[<>＜＞]|&(?:amp;){0,4}(?:[lg]t|#0{0,7}6[02](?!\d)|#x0{0,7}3[ce](?![\da-f]))|\\(?:u00|x)3[ce]|%3[ce]/gi;
const ESCAPE = new RegExp(
  '&(?:amp;){0,4}(?:#x([0-9a-f]{1,10})|#([0-9]{1,10})|(lt|gt|sol|nbsp|tab|shy|zwj));?' +
    String.raw`|\\{1,8}(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([nrt/]))|%([0-9a-f]{2})`,
  'iy',
);
const NAMED = wordTable<string>({ lt: '<', gt: '>', sol: '/', nbsp: ' ', tab: ' ', shy: '\u00ad', zwj: '\u200d' });
/** At most one letter more than the longest has. */
const PLAIN_NAME = /[a-z-]{1,19}/iy;
/** With control characters: a terminal shows none of them. */
const INVISIBLE = /[\0-\x08\x0e-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}]/u;
const BLANK = /[\s\0-\x08\x0e-\x1f\x7f-\x9f\p{Default_Ignorable_Code_Point}]/u;

/** What may be nothing to see, roughly; never a bracket: a run of those would be walked through once for each of them. */
const UNSEEN = '[\\s\\0-\\x1f\\x7f-\uff1b\uff1d-\uffff]*';
/** A bracket with what may begin a name of ours, plain or hidden: the engine turns all other brackets away by itself. */
const CANDIDATE = new RegExp(
  `${OPENER}(?=${UNSEEN}(?:/${UNSEEN})?(?:(?!${OPENER})(?:&[#a-z]|\\\\[\\\\uxnrt/]|%[\\da-f])|$|${NAMES.map(spell).join('|')}))`,
  'gi',
);

/** So many letters tell it from the words of HTML, XML and C++; more would only cost each hook the time to compile them. */
function spell(name: string): string {
  const hidden = '&[#asz]|\\\\[\\\\ux]|%[\\da-f]|[\\0-\\x1f\\x7f-\uffff]|$';
  return [...name.slice(0, 7)].reduceRight((rest, letter) => `${letter}(?:${rest}|${hidden})`, '[^]');
}

/**
 * Removes the blocks of our three tags, in any disguise a decoder would undo. Never leaks: a tag that is unclosed, nested in
 * itself or wrongly crossed takes everything from the outermost opening tag to the end of the text. A stray closing tag stays.
 */
export const stripPrivate = (text: string): Stripped => stripWithin(text, () => false) ?? { text: '', stripped: true };

type Stripped = { text: string; stripped: boolean };

/**
 * Null when the time was up before all of it was read. As a reader sees the text, then as it is: what does not show may
 * hide a tag in either.
 */
export function stripWithin(text: string, isOver: () => boolean): Stripped | null {
  if (!BRACKET_LIKE.test(text)) return isOver() ? null : { text, stripped: false };
  const plain = isOver() ? null : toPlain(text);
  const seen = plain && findBlocks(plain.text, isOver);
  if (seen === 'late') return null;
  const placed = (seen ?? []).map(({ start, end }) => ({
    start: plain?.placeOf(start) ?? start,
    end: plain && end < plain.text.length ? plain.placeOf(end - 1) + 1 : text.length,
  }));
  const rest = cut(text, placed);
  const blocks = findBlocks(rest, isOver);
  if (blocks === 'late') return null;
  return { text: cut(rest, blocks), stripped: placed.length + blocks.length > 0 };
}

/** Without one of these nothing can be a bracket, or become one. */
const BRACKET_LIKE = /[<＜&%\\]/;

type Block = { start: number; end: number };

function findBlocks(text: string, isOver: () => boolean): Block[] | 'late' {
  const blocks: Block[] = [];
  const open: string[] = [];
  let blockStart = 0;
  let from = 0;
  for (;;) {
    const tag = nextTag(text, from, isOver);
    if (tag === 'late') return 'late';
    if (tag === null) break;
    from = tag.end;
    if (tag.closing) {
      if (open.length === 0) continue;
      if (tag.name !== open[open.length - 1]) {
        if (open.includes(tag.name)) break;
        continue;
      }
      open.pop();
      if (open.length === 0) blocks.push({ start: blockStart, end: tag.end });
      continue;
    }
    if (open.length === 0) blockStart = tag.start;
    const isNested = open.includes(tag.name);
    open.push(tag.name);
    if (isNested || !tag.complete) break;
  }
  return open.length > 0 ? [...blocks, { start: blockStart, end: text.length }] : blocks;
}

function cut(text: string, blocks: Block[]): string {
  if (blocks.length === 0) return text;
  let kept = '';
  let from = 0;
  for (const { start, end } of blocks) {
    kept += text.slice(from, start);
    from = end;
  }
  return kept + text.slice(from);
}

/** Longer than any tag, but for what nobody sees in it. */
const TAG_REACH = 2048;
const ESCAPE_REACH = 40;

/**
 * For a text that comes in pieces: 'tag' when one opens in it, else the end of the text that has to be looked at again with the
 * next piece in front of it. In doubt it is a tag.
 */
function lookForTag(text: string): 'tag' | { again: string } {
  const reach = text.length - TAG_REACH;
  const plain = toPlain(text);
  const isFound = mayOpen(text, (at) => at < reach) || (plain !== null && mayOpen(plain.text, (at) => plain.placeOf(at) < reach));
  return isFound ? 'tag' : { again: text.slice(-TAG_REACH) };
}

/** `isLost`: what began here is not looked at again. */
function mayOpen(text: string, isLost: (at: number) => boolean): boolean {
  CANDIDATE.lastIndex = 0;
  for (let found = CANDIDATE.exec(text); found !== null; found = CANDIDATE.exec(text)) {
    const afterBracket = CANDIDATE.lastIndex;
    const { tag, end } = readTag(text, found.index, afterBracket);
    if (tag !== null && !tag.closing) return true;
    if (end > text.length - ESCAPE_REACH && isLost(found.index)) return true;
    CANDIDATE.lastIndex = afterBracket;
  }
  return false;
}

/**
 * Whether a prompt was private as a whole, so that its turn is too: stripped to nothing, and not merely a host's own reminder.
 * In doubt it was.
 */
export function isWhollyPrivate(prompt: unknown, stripped: unknown): boolean {
  if (typeof prompt !== 'string' || typeof stripped !== 'string') return false;
  if (prompt.trim() === '' || !isBlank(stripped)) return false;
  return !/^\s*<(?:system-reminder|claude-mem-context)[\s>]/i.test(prompt) || /private/i.test(prompt);
}

/**
 * Nothing in the text can open or close one of our tags any more, whoever decodes it: the bracket of each becomes `‹`. Any other `<`
 * stays as it is.
 */
export function defuseTags(text: string): string {
  let safe = '';
  let safeUpTo = 0;
  for (const { 0: opener, index } of text.matchAll(new RegExp(OPENER, 'gi'))) {
    const afterBracket = index + opener.length;
    if (!namesTag(text, afterBracket)) continue;
    safe += `${text.slice(safeUpTo, index)}‹`;
    safeUpTo = afterBracket;
  }
  return safe + text.slice(safeUpTo);
}

/** More freely than where private text is looked for: whatever a reader might take for one of our names. */
function namesTag(text: string, from: number): boolean {
  let at = from;
  let next = readChar(text, at);
  for (; BLANK.test(next.char) || fold(next.char) === '/'; next = readChar(text, at)) at = next.end;
  let name = '';
  for (; name.length <= LONGEST_NAME && /^[a-z-]$/.test(fold(next.char)); next = readChar(text, at)) {
    name += fold(next.char);
    at = skip(text, next.end, INVISIBLE);
  }
  return NAMES.includes(name) && !/^[\p{L}\p{N}_$.]/u.test(next.char);
}

const fold = (char: string): string =>
  char
    .normalize('NFKC')
    .replace(/\p{Pd}/u, '-')
    .toLowerCase();

type Tag = { name: string; closing: boolean; start: number; end: number; complete: boolean };

/** So many brackets are looked at between two looks at the clock: a few milliseconds. */
const LOOKS = 4096;

function nextTag(text: string, from: number, isOver: () => boolean): Tag | 'late' | null {
  CANDIDATE.lastIndex = from;
  for (let looks = 0; ; looks++) {
    if (looks % LOOKS === 0 && isOver()) return 'late';
    const found = CANDIDATE.exec(text);
    if (found === null) return null;
    const afterBracket = CANDIDATE.lastIndex;
    const { tag } = readTag(text, found.index, afterBracket);
    if (tag !== null) return tag;
    CANDIDATE.lastIndex = afterBracket;
  }
}

/** `end`: so far it was read to know. */
function readTag(text: string, start: number, afterBracket: number): { tag: Tag | null; end: number } {
  let at = skip(text, afterBracket, BLANK);
  const closing = readChar(text, at).char === '/';
  if (closing) at = skip(text, readChar(text, at).end, BLANK);
  let name = '';
  let next = readChar(text, at);
  while (name.length <= LONGEST_NAME && /^[a-z-]$/i.test(next.char)) {
    PLAIN_NAME.lastIndex = next.end;
    name += next.char.toLowerCase() + (PLAIN_NAME.exec(text)?.[0] ?? '').toLowerCase();
    at = skip(text, Math.max(next.end, PLAIN_NAME.lastIndex), INVISIBLE);
    next = readChar(text, at);
  }
  if (!NAMES.includes(name) || !/^[\s/>＞]?$/.test(next.char)) return { tag: null, end: at };
  return { tag: closing ? readClosing(text, name, start, at) : readOpening(text, name, start, at), end: at };
}

// A closing tag counts only when nothing but blanks comes before its '>': when in doubt the block stays open.
function readClosing(text: string, name: string, start: number, afterName: number): Tag | null {
  const bracket = readChar(text, skip(text, afterName, BLANK));
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

function skip(text: string, from: number, skipped: RegExp): number {
  let at = from;
  while (!isPlain(text.charCodeAt(at))) {
    const next = readChar(text, at);
    if (!skipped.test(next.char)) return at;
    at = next.end;
  }
  return at;
}

/** ASCII that shows and begins no escape. */
const isPlain = (code: number) => code > 0x20 && code < 0x7f && code !== 0x25 && code !== 0x26 && code !== 0x5c;

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

/** For the bytes between the quotes, as they come. True from the first tag on; in doubt there is one. */
export function createTagWatch(isOver: () => boolean): (bytes: Buffer) => boolean {
  let decoder = new TextDecoder();
  let isFound = false;
  /** An escape that is not over. */
  let rest = '';
  let seam = '';

  const lookAt = (bytes: Uint8Array) => {
    const json = rest + decoder.decode(bytes, { stream: true });
    const end = endOfEscapes(json);
    rest = json.slice(end);
    const text = readEscapes(json.slice(0, end));
    const looked = text === null ? 'tag' : lookForTag(seam + text);
    if (looked === 'tag') isFound = true;
    else seam = looked.again;
  };
  /** Nothing can begin in it, but it may go on with what began before. */
  const passOver = (bytes: Buffer) => {
    if (rest !== '' || /[<＜&%\\]/.test(seam)) lookAt(bytes.subarray(0, SEAM));
    decoder = new TextDecoder();
    // Two of them are a backslash of the text, the odd one begins an escape.
    const count = backslashesBefore(bytes, bytes.length);
    seam = count > 1 ? '\\' : '';
    rest = count % 2 === 1 ? '\\' : '';
  };

  return (bytes) => {
    if (isFound) return true;
    if (isOver()) isFound = true;
    else if (bytes.length > 2 * SEAM && !mayBegin(bytes)) passOver(bytes);
    else lookAt(bytes);
    return isFound;
  };
}

export const BACKSLASH = 0x5c;
/** Longer than any tag that is not in doubt. */
const SEAM = 4096;
/** What an opening bracket can look like in raw JSON: itself, an entity, a URL escape, full width, a JSON or hex escape. */
const ANCHORS = [0x3c, 0x26, 0x25, 0xef, Buffer.from('\\u'), Buffer.from('\\x')];

const mayBegin = (bytes: Buffer) => ANCHORS.some((anchor) => bytes.includes(anchor));

/** How many stand right before it. */
export function backslashesBefore(bytes: Buffer, at: number, from = 0): number {
  let back = at;
  while (back > from && bytes[back - 1] === BACKSLASH) back--;
  return at - back;
}

/** Null for what is no JSON: nobody knows what a reader would make of it. */
function readEscapes(json: string): string | null {
  try {
    return JSON.parse(`"${json}"`);
  } catch {
    return null;
  }
}

/** Where the text ends that no escape is cut off in. It begins outside of one. */
function endOfEscapes(json: string): number {
  const cut = json.lastIndexOf('\\');
  if (cut < json.length - 6) return json.length;
  let first = cut;
  while (first > 0 && json[first - 1] === '\\') first--;
  // Of an even number each is the escape of another.
  if ((cut - first) % 2 === 1) return json.length;
  const length = json[cut + 1] === 'u' ? 6 : 2;
  return cut + length > json.length ? cut : json.length;
}
