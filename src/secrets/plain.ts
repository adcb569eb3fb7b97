// A text as its reader sees it, without colours and invisible characters, and the way back to where each character stood.

export type PlainText = {
  text: string;
  /** Where the character at this place stood in the text as it came. */
  placeOf: (at: number) => number;
  /** Text was taken out that a terminal does not show but a file keeps, such as the address of a link. */
  hasUnseen: boolean;
};

// Terminal sequences, also written as escapes; control characters; what Unicode calls ignorable, with marks of direction.
const CONTROL =
  String.raw`\x1b\[[0-?]{0,1024}[ -/]{0,8}[@-~]|\x9b[0-?]{0,1024}[@-~]|\x1b[\]PX^_][^\x07\x1b\n]{0,4096}(?:\x07` +
  String.raw`|\x1b\\)?|\x1b[ -/]{0,4}[0-~]`;
const WRITTEN = String.raw`(?:\\{1,8}(?:u001[bB]|x1[bB]|033|e)|&#(?:27|[xX]1[bB]);?|%1[bB])(?:\[|%5[bB])[0-9;]{0,32}[A-Za-z]`;
const IGNORABLE =
  '[\\x00-\\x07\\x0e-\\x1f\\x7f-\\x9f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
  '\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb]' +
  '|\\udb40[\\udc00-\\udfff]|\\ud82f[\\udca0-\\udca3]';
const HIDDEN = new RegExp(`${CONTROL}|${WRITTEN}|${IGNORABLE}`, 'g');
const WRITTEN_HERE = new RegExp(WRITTEN, 'y');
// Blanks of other widths, read as one.
const BLANK = '[\\u00a0\\u2000-\\u200a\\u202f\\u205f\\u2800]';
const BLANKS = new RegExp(BLANK, 'g');
const UNLIKE_HERE = new RegExp(`${IGNORABLE}|\\x08|${BLANK}`, 'y');

/** Neither ASCII that shows, nor white space; or what may begin an escape. */
const UNPLAIN = /[^\t-\r -$'-[\]-~]/;

// Nearly every text is plain, and to know that must cost little; what may not be is looked through by hand.
function mayHide(text: string): boolean {
  const first = text.search(UNPLAIN);
  if (first < 0) return false;
  for (let i = first; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 ? code < 9 || code > 13 : code > 126) {
      if (isOdd(code) && isHere(UNLIKE_HERE, text, i)) return true;
    } else if (beginsEscape(text, code, i) && isHere(WRITTEN_HERE, text, i)) return true;
  }
  return false;
}

function beginsEscape(text: string, code: number, at: number): boolean {
  if (code === 92) return 'ux0e\\'.includes(text.charAt(at + 1));
  return (code === 38 && text.charCodeAt(at + 1) === 35) || (code === 37 && text.charCodeAt(at + 1) === 49);
}

/** Whether one of the ignorable may begin with it: letters of other alphabets and lines of tables do not. */
function isOdd(code: number): boolean {
  if (code < 0x2000) return code <= 0xad || code === 0x34f || code === 0x61c || (code >= 0x115f && code <= 0x180f);
  return code <= 0x206f || code === 0x2800 || code === 0x3164 || code === 0xd82f || code === 0xdb40 || code >= 0xfe00;
}

function isHere(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

/** Null: it is plain as it is. */
export function toPlain(text: string): PlainText | null {
  if (!mayHide(text)) return null;
  const bare = withoutHidden(text);
  return bare.text.includes('\b') ? withoutStruck(bare) : bare;
}

/** Whether a reader sees anything of it. */
export const isBlank = (text: string): boolean => (toPlain(text)?.text ?? text).trim() === '';

// What a tool or a person puts before each line of a text: the sign of a diff, the number of the line, the mark of a quotation.
const MARGIN = /[+-]|[ \t]{0,8}(?:[\w./-]{0,80}:)?\d{1,6}(?:\t|→|[:|-] ?)|(?:> ?){1,4}/y;
const MARGINS = /^(?:[+>-]|[ \t]{0,8}(?:[\w./-]{0,80}:)?\d{1,6}[\t→:|-])/m;

/** Only of lines that have one, two or more in a row, without it: what several of them tell together. Null: there are none. */
export function withoutMargins(text: string): PlainText | null {
  if (!MARGINS.test(text)) return null;
  const kept: Piece[] = [];
  let run: Piece[] = [];
  let isDiff = false;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end + 1;
    MARGIN.lastIndex = from;
    const sign: string = MARGIN.exec(text)?.[0] ?? (isDiff && text.charAt(from) === ' ' ? ' ' : '');
    isDiff = sign === '+' || sign === '-' || sign === ' ';
    if (sign !== '') run.push({ from: from + sign.length, to });
    if (sign === '' || to === text.length) {
      if (run.length > 1) for (const piece of run) kept.push(piece);
      run = [];
    }
    from = to;
  }
  return kept.length === 0 ? null : keepPieces(text, kept, false);
}

type Piece = { from: number; to: number };

/** So much of a text, and the way back. */
function keepPieces(text: string, kept: Piece[], hasUnseen: boolean): PlainText {
  const starts: number[] = [];
  let length = 0;
  for (const { from, to } of kept) {
    starts.push(length);
    length += to - from;
  }
  const placeOf = (at: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return (kept[low]?.from ?? 0) + at - (starts[low] ?? 0);
  };
  return { text: kept.map(({ from, to }) => text.slice(from, to)).join(''), placeOf, hasUnseen };
}

function withoutHidden(text: string): PlainText {
  const kept: Piece[] = [];
  let [from, hasUnseen] = [0, false];
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > from) kept.push({ from, to: match.index });
    from = match.index + match[0].length;
    hasUnseen ||= /^\x1b[\]PX^_]/.test(match[0]);
  }
  if (text.length > from) kept.push({ from, to: text.length });
  const plain = keepPieces(text, kept, hasUnseen);
  return { ...plain, text: plain.text.replace(BLANKS, ' ') };
}

/** A backspace strikes what stands before it in its line; bold and underlined text of manuals is written so. */
function withoutStruck({ text, placeOf }: PlainText): PlainText {
  const kept: Piece[] = [];
  let from = 0;
  for (let at = text.indexOf('\b'); at >= 0; at = text.indexOf('\b', from)) {
    if (at > from) kept.push({ from, to: at });
    strike(text, kept);
    from = at + 1;
  }
  kept.push({ from, to: text.length });
  const plain = keepPieces(text, kept, true);
  return { ...plain, placeOf: (at) => placeOf(plain.placeOf(at)) };
}

function strike(text: string, kept: Piece[]): void {
  const last = kept.at(-1);
  if (!last || text[last.to - 1] === '\n') return;
  last.to--;
  if (last.to === last.from) kept.pop();
}
