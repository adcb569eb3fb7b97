// A text as lines to choose from: very long ones come in pieces, so that a choice is never all or nothing.

/** `line` is its place in the text: pieces of one line share it. */
export type Line = { text: string; line: number };

const LONGEST_PIECE = 300;

export function toLines(text: string, longest = LONGEST_PIECE): Line[] {
  return text.split('\n').flatMap((line, at) => cutLine(line, longest).map((piece) => ({ text: piece, line: at })));
}

/** Pieces that make up the line again. */
function cutLine(text: string, longest: number): string[] {
  if (text.length <= longest) return [text];
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + longest >= text.length ? text.length : pieceEnd(text, start + longest, longest / 3);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** After a separator when one is near; never inside of a character. */
function pieceEnd(text: string, end: number, reach: number): number {
  for (let at = end; at > end - reach; at--) if (SEPARATORS.has(text.charCodeAt(at - 1))) return at;
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}

const SEPARATORS = new Set([...' \t,;{}()[]>'].map((letter) => letter.charCodeAt(0)));
const isHighSurrogate = (code: number) => code >= 0xd800 && code <= 0xdbff;
