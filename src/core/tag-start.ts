// Whether a long string, still as bytes of JSON, holds the start of one of our tags in any disguise that privacy.ts knows.
import { stripPrivate } from './privacy.ts';

/** Longest disguised tag that is looked at: each letter may be an escape. */
export const TAG_REACH = 400;

export function hasTagStart(bytes: Buffer): boolean {
  return ANCHORS.some((anchor) => hasTagAt(bytes, anchor));
}

/** What an opening bracket can look like in raw JSON: itself, full width, an entity, a URL escape, a JSON or hex escape. */
const ANCHORS: (number | string)[] = ['<', '&', '%', '\u00ef'].map((letter) => letter.charCodeAt(0));
ANCHORS.push('\\u', '\\x');

function hasTagAt(bytes: Buffer, anchor: number | string): boolean {
  for (let at = bytes.indexOf(anchor); at >= 0; at = bytes.indexOf(anchor, at + 1)) {
    if (mayBeTag(bytes, at) && stripPrivate(decode(bytes.subarray(at, at + TAG_REACH))).stripped) return true;
  }
  return false;
}

/** Turns most of what merely looks like an anchor away by the byte after it. */
function mayBeTag(bytes: Buffer, at: number): boolean {
  const next = String.fromCharCode(bytes[at + 1] ?? 0);
  switch (bytes[at]) {
    case 0x3c:
      return /[^a-z]|[pcs]/i.test(next);
    case 0x26:
      return /[al#\\]/i.test(next);
    case 0x25:
      return next === '3' || next === '\\';
    case 0xef:
      return next === '\u00bc';
    default:
      return true;
  }
}

/** One level of JSON escapes undone, as the parser will. */
function decode(bytes: Buffer): string {
  return bytes
    .toString('utf8')
    .replace(
      /\\u([0-9a-f]{4})|\\(["\\/])/gi,
      (_, hex, plain) => plain ?? String.fromCharCode(Number.parseInt(hex, 16)),
    );
}
