// Reads how far a value goes in a text: in quotes, also escaped ones, or bare.

const LONGEST_QUOTED = 8192;
const LONGEST_IN_PROSE = 256;
const OPENING = /(?:[brufNBRUF@$]{0,2})(\\{0,3})(["'`\u2018\u201c\u00ab\u300c])/y;
const CLOSING: Record<string, string> = {
  '\u2018': '\u2019',
  '\u201c': '\u201d',
  '\u00ab': '\u00bb',
  '\u300c': '\u300d',
};
// A bare value ends at a blank, a quote or an escaped one; in code also at the signs that end an expression.
const BARE = /(?:[^\s"'`\\\x1b%]|%(?!(?:25)?22)|\\(?![nrt"'\\]|u00)){1,256}/y;
// An `&` is one of those only before the next parameter of a query or as a part of `&&` or `&quot;`: passwords have it, too.
const BARE_IN_CODE =
  /(?:[^\s"'`,;&<>(){}[\]|\\\x1b%]|%(?!(?:25)?22)|&(?:amp;)?(?!&|[\w.%[\]-]{1,64}=|(?:amp|quot|apos|lt|gt|nbsp|#\w{1,5});)|\\(?![nrt"'\\]|u00)){1,256}/y;

export type Range = { from: number; to: number };

/** Null if no quote opens here. A missing closing quote ends the value at the end of its line: texts are cut anywhere. */
export function readQuoted(text: string, at: number): Range | null {
  OPENING.lastIndex = at;
  const opening = OPENING.exec(text);
  if (opening === null) return null;
  const [whole, { length: depth } = '', opened = ''] = opening;
  const quote = CLOSING[opened] ?? opened;
  if (text.startsWith(opened + opened, at + whole.length))
    return readTripled(text, at + whole.length + 2, opened.repeat(3));
  const from = at + whole.length + (opened === '\u00ab' && text.charAt(at + whole.length) === ' ' ? 1 : 0);
  const limit = Math.min(text.length, from + (quote === opened ? LONGEST_QUOTED : LONGEST_IN_PROSE));
  for (let i = from; i < limit; i++) {
    const char = text.charAt(i);
    if (char === '\n' && quote !== '`') return { from, to: i };
    if (char !== quote) continue;
    if (quote === '\u00bb' && text.charAt(i - 1) === ' ') return { from, to: i - 1 };
    const escapes = countBackslashes(text, from, i);
    // A quote that belongs to the value itself is escaped once more than the quotes around it.
    if (escapes <= depth) return { from, to: i - escapes };
  }
  return { from, to: limit };
}

/** """…""", of TOML and Python: may begin in the next line. */
function readTripled(text: string, at: number, quotes: string): Range {
  const from = at + (/^\\?\r?\n/.exec(text.slice(at, at + 3))?.[0].length ?? 0);
  const end = text.slice(from, from + LONGEST_QUOTED).indexOf(quotes);
  return { from, to: end < 0 ? from : from + end };
}

/** At most 256 characters, enough to judge by; `readOn` finds the end of what turned out to be a secret. */
export function readUnquoted(text: string, at: number, isPlain: boolean): Range {
  const pattern = isPlain ? BARE : BARE_IN_CODE;
  pattern.lastIndex = at;
  return { from: at, to: pattern.test(text) ? pattern.lastIndex : at };
}

export function readOn(text: string, range: Range, isPlain: boolean): Range {
  const pattern = isPlain ? BARE : BARE_IN_CODE;
  pattern.lastIndex = range.to;
  let { to } = range;
  while (pattern.test(text)) to = pattern.lastIndex;
  return { from: range.from, to };
}

// Bounded: more than a handful never means an escape, and long runs must not be counted again and again.
function countBackslashes(text: string, from: number, quoteAt: number): number {
  let count = 0;
  while (count < 8 && quoteAt - count > from && text.charAt(quoteAt - count - 1) === '\\') count++;
  return count;
}

const LONGEST_BLOCK = 16_384;

/** The lines from here on that stand as far in as the first of them. */
export function readBlock(text: string, at: number): Range {
  const indent = /^[ \t]+/.exec(text.slice(at, at + 80))?.[0] ?? '';
  const from = at + indent.length;
  let to = from;
  while (indent !== '' && to - at < LONGEST_BLOCK) {
    const end = text.indexOf('\n', to);
    to = end < 0 ? text.length : end;
    if (end < 0 || !text.startsWith(indent, end + 1)) break;
    to = end + 1 + indent.length;
  }
  return { from, to: text.charAt(to - 1) === '\r' ? to - 1 : to };
}
