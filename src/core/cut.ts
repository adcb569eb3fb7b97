// Cutting the middle out of a long text, saying so, and never through a word: half a secret looks like none.
import { CUT_REACH, HEAD_SHARE } from './limits.ts';

export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex');
  const room = max - 200;
  const head = text.slice(0, wordEndBefore(text, Math.floor(room * HEAD_SHARE)));
  const tail = text.slice(lineStartAfter(text, text.length - Math.floor(room * (1 - HEAD_SHARE))));
  return `${head}\n${cutNotice({ length: text.length, hash })}\n${tail}`;
}

/** Without a hash: there was no time for it. */
export function cutNotice({ length, hash }: { length: number; hash: string | null }): string {
  return `[claude-mem: middle of ${length} characters left out${hash === null ? '' : `, sha256 ${hash}`}]`;
}

/** In the place of what there was no time for. */
export function lateNotice(length: number): string {
  return `[claude-mem: ${length} characters left out for lack of time; they are read from the transcript]`;
}

/** The first words of a text, none of them cut. */
export function firstWords(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, wordEndBefore(text, max));
}

function wordEndBefore(text: string, end: number): number {
  for (let at = end; at > end - CUT_REACH && at > 0; at--) if (isSpace(text.charCodeAt(at))) return at;
  return Math.max(0, end - CUT_REACH);
}

/** The start of a line, so that no value stands without its name; else of a word. */
function lineStartAfter(text: string, start: number): number {
  const end = Math.min(start + CUT_REACH, text.length);
  const newline = text.indexOf('\n', start - 1);
  if (newline >= 0 && newline < end) return newline + 1;
  for (let at = start; at < end; at++) if (isSpace(text.charCodeAt(at - 1))) return at;
  return end;
}

const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);
