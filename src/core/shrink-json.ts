// JSON of any size made small while it streams by: long strings lose their middle, deep nesting its bottom.
// Works on bytes: what can hold no tag is never decoded. Loaded by the hook: no packages.

import { CUT_REACH, cutNotice, HEAD_SHARE } from './payload.ts';
import { MAX_DEPTH, MAX_STRING } from './plain-json.ts';
import { BACKSLASH, backslashesBefore, createTagWatch } from './privacy.ts';

const QUOTE = 0x22;
const SPACE = 0x20;
const LETTER_N = 0x6e;
const HEAD = Math.floor(MAX_STRING * HEAD_SHARE);
const TAIL = MAX_STRING - HEAD - 1024;
const MAX_OUTPUT = 4 * 1024 * 1024;

/** `isOver`: there is no time any more to look for tags: the tail of a long string is in doubt, and goes. */
export function createShrinker(isOver: () => boolean = () => false) {
  const output: Uint8Array[] = [];
  let outputSize = 0;
  let strings = 0;
  let string: LongString | null = null;
  /** Parity of the backslashes that end the last chunk: a quote after an odd number is not the end of a string. */
  let isEscaped = false;
  const depth = { now: 0, wasTooDeep: false };

  const emit = (bytes: Uint8Array) => {
    outputSize += bytes.length;
    if (outputSize <= MAX_OUTPUT) output.push(bytes);
  };

  /** Both return where to go on. */
  const passStructure = (chunk: Buffer, at: number): number => {
    const quote = chunk.indexOf(QUOTE, at);
    const end = quote < 0 ? chunk.length : quote;
    emit(keepShallow(chunk.subarray(at, end), depth));
    if (quote < 0) return end;
    const isDropped = depth.now > MAX_DEPTH;
    // Nobody could clean so many of them either: the whole is given up.
    if (!isDropped && ++strings % 1024 === 0 && isOver()) outputSize = Number.POSITIVE_INFINITY;
    string = createLongString(isDropped, isOver);
    isEscaped = false;
    return quote + 1;
  };
  const passString = (chunk: Buffer, at: number, open: LongString): number => {
    const quote = findClosingQuote(chunk, at, isEscaped);
    if (quote < 0) {
      isEscaped = isEscapedAt(chunk, chunk.length, at, isEscaped);
      open.append(chunk.subarray(at));
      return chunk.length;
    }
    open.append(chunk.subarray(at, quote));
    for (const part of open.parts()) emit(part);
    string = null;
    return quote + 1;
  };

  return {
    push(bytes: Uint8Array) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let at = 0;
      while (at < chunk.length && outputSize <= MAX_OUTPUT) at = string ? passString(chunk, at, string) : passStructure(chunk, at);
    },
    /** The small JSON, or null when it never ended or what is outside of strings was too much as well. */
    finish: () => ({
      json: outputSize > MAX_OUTPUT || string ? null : Buffer.concat(output).toString('utf8'),
      isTooDeep: depth.wasTooDeep,
    }),
  };
}

/** What stands between strings, without what is nested too deeply. */
function keepShallow(bytes: Buffer, depth: { now: number; wasTooDeep: boolean }): Uint8Array {
  const kept: number[] = [];
  for (const byte of bytes) {
    const isOpen = byte === 0x5b || byte === 0x7b;
    const isClose = byte === 0x5d || byte === 0x7d;
    if (isOpen && ++depth.now === MAX_DEPTH + 1) {
      depth.wasTooDeep = true;
      kept.push(0x6e, 0x75, 0x6c, 0x6c);
    }
    if (depth.now <= MAX_DEPTH) kept.push(byte);
    if (isClose) depth.now--;
  }
  return Uint8Array.from(kept);
}

function findClosingQuote(chunk: Buffer, from: number, startsEscaped: boolean): number {
  let quote = chunk.indexOf(QUOTE, startsEscaped ? from + 1 : from);
  while (quote >= 0 && isEscapedAt(chunk, quote, from, startsEscaped)) quote = chunk.indexOf(QUOTE, quote + 1);
  return quote;
}

function isEscapedAt(chunk: Buffer, at: number, from: number, startsEscaped: boolean): boolean {
  const count = backslashesBefore(chunk, at, from);
  return (count + (at - count === from && startsEscaped ? 1 : 0)) % 2 === 1;
}

const QUOTE_MARK = Buffer.from('"');

type LongString = { append: (bytes: Buffer) => void; parts: () => Uint8Array[] };

/** With its quotes; nothing at all when it stands too deep. */
function createLongString(isDropped: boolean, isOver: () => boolean): LongString {
  if (isDropped) return { append: () => undefined, parts: () => [] };
  let whole: Buffer[] = [];
  let length = 0;
  let head: Buffer | null = null;
  let tail: Buffer = Buffer.alloc(0);
  const lookForTags = createTagWatch(isOver);
  let hasTags = false;
  let hasher: Bun.CryptoHasher | null = null;

  const goLong = () => {
    const start = Buffer.concat(whole);
    whole = [];
    hasher = new Bun.CryptoHasher('sha256').update(start);
    head = start.subarray(0, HEAD);
    tail = start.subarray(HEAD);
    hasTags = lookForTags(start);
  };

  return {
    append(bytes) {
      length += bytes.length;
      if (!head) {
        whole.push(bytes);
        if (length > MAX_STRING) goLong();
        return;
      }
      if (isOver()) hasher = null;
      hasher?.update(bytes);
      hasTags = lookForTags(bytes);
      tail = bytes.length >= TAIL ? bytes : Buffer.concat([tail.subarray(-TAIL), bytes]);
    },
    parts() {
      if (!head) return [QUOTE_MARK, ...whole, QUOTE_MARK];
      const notice = Buffer.from(cutNotice({ length, hash: hasher?.digest('hex') ?? null }));
      const start = head.subarray(0, safeEnd(head));
      // With a tag anywhere in it nobody can say whether the tail was meant to be private: it goes.
      const end = hasTags ? Buffer.alloc(0) : tail.subarray(-TAIL);
      const cut = Buffer.from('\\n');
      return [QUOTE_MARK, start, cut, notice, cut, end.subarray(safeStart(end)), QUOTE_MARK];
    },
  };
}

/** A place near the end that splits no word and no escape. */
function safeEnd(bytes: Buffer): number {
  for (let at = bytes.length - 1; at > bytes.length - CUT_REACH && at > 0; at--) {
    if (bytes[at] === SPACE || isNewline(bytes, at)) return at;
  }
  return escapeFree(bytes, bytes.length - CUT_REACH, -1);
}

/** The start of a line, so that no value stands without its name; else of a word. */
function safeStart(bytes: Buffer): number {
  const end = Math.min(CUT_REACH, bytes.length);
  for (let at = 2; at < end; at++) if (isNewline(bytes, at - 2)) return at;
  for (let at = 1; at < end; at++) if (bytes[at - 1] === SPACE) return at;
  return escapeFree(bytes, end, 1);
}

/** True where an unescaped `\n` begins. */
const isNewline = (bytes: Buffer, at: number) =>
  bytes[at] === BACKSLASH && bytes[at + 1] === LETTER_N && backslashesBefore(bytes, at) % 2 === 0;

/** Steps on until eight plain ASCII bytes surround the place: then no escape and no character is split. */
function escapeFree(bytes: Buffer, from: number, step: 1 | -1): number {
  for (let at = from; at >= 6 && at <= bytes.length - 6; at += step) {
    const around = bytes.subarray(at - 6, at + 6);
    if (around.every((byte) => byte < 0x80 && byte !== BACKSLASH)) return at;
  }
  return step === 1 ? bytes.length : 0;
}
