// A text as its reader sees it, without colours and invisible characters, and the way back to where each character stood.

export type PlainText = {
  text: string;
  /** Where the character at this place stood in the text as it came. */
  placeOf: (at: number) => number;
  /** Text was taken out that a terminal does not show but a file keeps, such as the address of a link. */
  hasUnseen: boolean;
};

// Terminal sequences, also written as escapes; control characters; what Unicode calls ignorable, with marks of direction.
const CONTROL = String.raw`\x1b\[[0-?]{0,64}[ -/]{0,8}[@-~]|\x9b[0-?]{0,64}[@-~]|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|\x1b[ -/]{0,4}[0-~]`;
const WRITTEN = String.raw`\\(?:u001[bB]|x1[bB]|033|e)\[[0-9;]{0,32}[A-Za-z]`;
const IGNORABLE =
  '[\\x00-\\x08\\x0e-\\x1f\\x7f-\\x9f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb]|\\udb40[\\udc00-\\udfff]|\\ud82f[\\udca0-\\udca3]';
const HIDDEN = new RegExp(`${CONTROL}|${WRITTEN}|${IGNORABLE}`, 'g');
const WRITTEN_HERE = new RegExp(WRITTEN, 'y');
// Blanks of other widths, read as one.
const BLANK = '[\\u00a0\\u2000-\\u200a\\u202f\\u205f]';
const BLANKS = new RegExp(BLANK, 'g');
const UNLIKE_HERE = new RegExp(`${IGNORABLE}|${BLANK}`, 'y');

// Looked through by hand: nearly every text is plain, and to know that must cost little.
function mayHide(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 ? code < 9 || code > 13 : code > 126) {
      if (isHere(UNLIKE_HERE, text, i)) return true;
    } else if (code === 92 && isHere(WRITTEN_HERE, text, i)) return true;
  }
  return false;
}

function isHere(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Null: it is plain as it is. */
export function toPlain(text: string): PlainText | null {
  if (!mayHide(text)) return null;
  const [pieces, plainStarts, starts]: [string[], number[], number[]] = [[], [], []];
  let [from, length, hasUnseen] = [0, 0, false];
  const keep = (to: number): void => {
    if (to <= from) return;
    pieces.push(text.slice(from, to).replace(BLANKS, ' '));
    plainStarts.push(length);
    starts.push(from);
    length += to - from;
  };
  for (const match of text.matchAll(HIDDEN)) {
    keep(match.index);
    from = match.index + match[0].length;
    hasUnseen ||= /^\x1b[\]PX^_]/.test(match[0]);
  }
  keep(text.length);
  return { text: pieces.join(''), placeOf: (at) => placeAt(plainStarts, starts, at), hasUnseen };
}

function placeAt(plainStarts: readonly number[], starts: readonly number[], at: number): number {
  let [low, high] = [0, plainStarts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((plainStarts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return (starts[low] ?? 0) + at - (plainStarts[low] ?? 0);
}
