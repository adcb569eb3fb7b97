// The lines of a file with their numbers, in bounded memory. A line that is too long is passed over: it would not be what was written.
import { closeSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { openRegular } from '../regular-file.ts';

type Content = { kind: 'text'; text: string } | { kind: 'unreadable'; reason: 'too long' | 'not UTF-8' };

export type NumberedLine = Content & {
  /** From 1. */
  number: number;
  /** Where it ends in the file, with its newline. */
  end: number;
};

export type LineOptions = {
  /** Longer ones are not kept in memory, only counted. */
  longestBytes: number;
};

const CHUNK_BYTES = 256 * 1024;
const NEWLINE = 10;
const readAt = promisify(read);

/** A last line without a newline is one, too. */
export async function* readNumberedLines(path: string, { longestBytes }: LineOptions): AsyncGenerator<NumberedLine> {
  const file = openRegular(path);
  try {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const line = startLine(longestBytes);
    let [number, position] = [0, 0];
    for (;;) {
      const { bytesRead } = await readAt(file, chunk, 0, CHUNK_BYTES, position);
      if (bytesRead === 0) break;
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0 && end < bytesRead; end = chunk.indexOf(NEWLINE, start)) {
        line.add(chunk.subarray(start, end));
        start = end + 1;
        yield { number: ++number, end: position + start, ...line.take() };
      }
      line.add(chunk.subarray(start, bytesRead));
      position += bytesRead;
    }
    if (line.length() > 0) yield { number: ++number, end: position, ...line.take() };
  } finally {
    closeSync(file);
  }
}

/** Put together from the chunks that it lies in. */
function startLine(longestBytes: number) {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let parts: Buffer[] = [];
  let length = 0;
  return {
    length: () => length,
    /** The bytes are copied: the chunk is used again. */
    add(bytes: Buffer) {
      length += bytes.length;
      if (length > longestBytes) parts = [];
      else if (bytes.length > 0) parts.push(Buffer.from(bytes));
    },
    take(): Content {
      const [whole, isTooLong] = [Buffer.concat(parts), length > longestBytes];
      [parts, length] = [[], 0];
      if (isTooLong) return { kind: 'unreadable', reason: 'too long' };
      try {
        return { kind: 'text', text: decoder.decode(whole) };
      } catch {
        // Whoever reads the file is told of it.
        return { kind: 'unreadable', reason: 'not UTF-8' };
      }
    },
  };
}
