// Cutting the middle out of a long text, saying so, and never through a word: half a secret looks like none.

/** How the room left for a long text is shared: the beginning tells what it is, the end how it went. */
const HEAD_SHARE = 0.6;

export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex');
  const room = max - 200;
  const head = text.slice(0, wordEndBefore(text, Math.floor(room * HEAD_SHARE)));
  const tail = text.slice(wordStartAfter(text, text.length - Math.floor(room * (1 - HEAD_SHARE))));
  return joinCut(head, tail, { length: text.length, hash });
}

export function joinCut(head: string, tail: string, whole: { length: number; hash: string }): string {
  return `${head}\n${cutNotice(whole)}\n${tail}`;
}

export function cutNotice(whole: { length: number; hash: string }): string {
  return `[claude-mem: middle of ${whole.length} characters left out, sha256 ${whole.hash}]`;
}

/** A cut goes back (or forward) at most this far to a white space. */
const WORD_REACH = 1024;

function wordEndBefore(text: string, end: number): number {
  for (let at = end; at > end - WORD_REACH && at > 0; at--) if (isSpace(text.charCodeAt(at))) return at;
  return Math.max(0, end - WORD_REACH);
}

function wordStartAfter(text: string, start: number): number {
  for (let at = start; at < start + WORD_REACH && at < text.length; at++) {
    if (isSpace(text.charCodeAt(at - 1))) return at;
  }
  return Math.min(text.length, start + WORD_REACH);
}

const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d);
