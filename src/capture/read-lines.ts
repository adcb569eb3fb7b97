// The lines of a file of any size, in little memory. A line that is huge comes as smaller JSON: its long texts lose their middle.
import { closeSync, readSync } from 'node:fs';
import { createShrinker } from '../core/shrink-json.ts';
import { openRegular, readRegular } from '../regular-file.ts';

export type FileLine = {
  /** Never empty, but where nothing is said yet of a line that is long: then whoever reads may let others go first. */
  text: string;
  /** Where it begins in the file; of one that is still read, how far the file was read. */
  position: number;
  /** No agent writes such a line, and nothing after it is read: a file without line ends may be of any size. */
  isEndless?: boolean;
  /** Long, and no JSON: there is nothing to read of it. */
  isLost?: boolean;
  /** It has no end: it may still be written. */
  isLast?: boolean;
};

const CHUNK = 256 * 1024;
/** Above, it is made smaller while it streams by. */
const LONG_LINE = 1024 * 1024;
/** Longer than any that an agent writes. */
const LONGEST_LINE = 64 * 1024 * 1024;
const NEWLINE = 0x0a;

/** From a position that a line begins at. The last line comes without its end, if it has none: it may still be written. */
export function* readLines(path: string, from = 0): Generator<FileLine> {
  const line = createLine();
  let position = from;
  for (const { bytes, isEnd, end } of readPieces(path, from)) {
    line.push(bytes);
    if (isEnd) {
      const { text, isLost } = line.take();
      if (text !== '' || isLost) yield { text, position, isLost };
      position = end;
    } else if (end - position > LONGEST_LINE) return yield { text: '', position, isEndless: true };
    else if (end - position > LONG_LINE) yield { text: '', position: end };
  }
  const { text, isLost } = line.take();
  if (text !== '' || isLost) yield { text, position, isLost, isLast: true };
}

/** What one read of the file holds of a line. `isEnd`: all or the last of it. `end`: where it ends in the file, with its newline. */
type Piece = { bytes: Buffer; isEnd: boolean; end: number };

export function* readPieces(path: string, from = 0): Generator<Piece> {
  const file = openRegular(path);
  try {
    for (let at = from; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const size = readSync(file, chunk, 0, CHUNK, at);
      if (size === 0) return;
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < size; end = chunk.indexOf(NEWLINE, start)) {
        yield { bytes: chunk.subarray(start, end), isEnd: true, end: at + end + 1 };
        start = end + 1;
      }
      at += size;
      yield { bytes: chunk.subarray(start, size), isEnd: false, end: at };
    }
  } finally {
    closeSync(file);
  }
}

export function lineNumberAt(path: string, position: number): number {
  let number = 1;
  for (const { isEnd, end } of readPieces(path)) {
    if (end > position) break;
    number += Number(isEnd);
  }
  return number;
}

const BRACE = 0x7b;

function createLine() {
  let pieces: Buffer[] = [];
  let size = 0;
  let first: number | undefined;
  let shrinker: ReturnType<typeof createShrinker> | null = null;
  return {
    push(piece: Buffer) {
      size += piece.length;
      if (size === piece.length) first = piece[0];
      if (shrinker) return shrinker.push(piece);
      pieces.push(piece);
      if (size <= LONG_LINE) return;
      // What is no JSON says nothing, however small it were made.
      shrinker = first === BRACE ? createShrinker() : null;
      for (const held of pieces) shrinker?.push(held);
      pieces = [];
    },
    take() {
      const text = (shrinker ? (shrinker.finish().json ?? '') : decode(pieces)).trim();
      const isLost = text === '' && size > LONG_LINE;
      pieces = [];
      size = 0;
      shrinker = null;
      return { text, isLost };
    },
  };
}

function decode(pieces: Buffer[]): string {
  const [only] = pieces;
  if (!only) return '';
  return (pieces.length === 1 ? only : Buffer.concat(pieces)).toString('utf8');
}

/** More than any conversation in earnest. */
const MOST_BYTES = 64 * 1024 * 1024;

export function* readWhole(path: string): Generator<FileLine> {
  const text = readRegular(path, MOST_BYTES).toString('utf8').trim();
  if (text !== '') yield { text, position: 0, isLast: true };
}

/** What Codex has put away. Nothing is added to it: it is read from its beginning, if it is. Of a damaged one, what can be read. */
export function* readCompressed(path: string): Generator<FileLine> {
  const packed = readRegular(path, MOST_BYTES);
  for (const line of unpack(packed)) {
    const isLost = line.length > LONG_LINE;
    if (line !== '') yield { text: isLost ? '' : line.trim(), position: 0, isLost };
  }
  if (!isWhole(packed)) yield { text: '', position: 0, isLost: true };
}

const MOST_UNPACKED = 4 * MOST_BYTES;

/** Throws at what is larger. Loaded here: every command of ours would start 12 ms later. */
const unzip = (packed: Buffer): Buffer =>
  process.getBuiltinModule('node:zlib').zstdDecompressSync(packed, { maxOutputLength: MOST_UNPACKED });

function unpack(packed: Buffer): string[] {
  try {
    return unzip(packed).toString('utf8').split('\n');
  } catch {
    // Garbage, or larger than any session: it is not whole either.
    return [];
  }
}

/** The one above says nothing of an end that is missing; this one knows no bounds, and comes after it. */
function isWhole(packed: Buffer): boolean {
  try {
    return unzip(packed).length === Bun.zstdDecompressSync(packed).length;
  } catch {
    // The question was whether it is.
    return false;
  }
}
