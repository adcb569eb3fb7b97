// Reads the tables of rules: rows of columns, random examples from templates, and the literal texts that a shape begins with.

/** Makes a random text of a length from an alphabet. Passed in, so that no example of a secret stands in our own source. */
export type Pick = (alphabet: string, length: number) => string;

/** The alphabets of `{NAME:LENGTH}`, as they stand between the brackets of a pattern. */
const ALPHABETS: Record<string, string> = {
  alnum: 'A-Za-z0-9',
  word: 'A-Za-z0-9_',
  url: 'A-Za-z0-9_-',
  base64: 'A-Za-z0-9+/',
  hex: '0-9a-f',
  HEX: '0-9a-fA-F',
  HEXUP: '0-9A-F',
  digit: '0-9',
  lower: 'a-z',
  upper: 'A-Z',
  lonum: 'a-z0-9',
  upnum: 'A-Z0-9',
  base32: 'A-Z2-7',
  bech32: '02-9ac-hj-np-z',
};
const PLACE = /\{([A-Za-z]+\d*):(\d+)(?:(\+)|-(\d+))?\}/g;
const SHORTEST_START = 3;
const MOST_STARTS = 128;
/** Of texts that are long enough already. */
const ENOUGH_STARTS = 16;

/** Columns stand apart by two blanks or more; `#` begins a remark. */
export function readTable(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.trim().split(/ {2,}/));
}

/** `gh[po]_{alnum:36+}` → `gh[po]_[A-Za-z0-9]{36,}`. */
export function toPattern(shape: string): string {
  return shape.replace(PLACE, (_, name: string, least: string, more?: string, most?: string) => {
    const times = more === undefined && most === undefined ? least : `${least},${most ?? ''}`;
    return `[${alphabetOf(name)}]{${times}}`;
  });
}

/** `ghp_{alnum:36}` → a token that nobody has. `{login}` is a user and a password in base64. */
export function fillExample(template: string, pick: Pick): string {
  const filled = template.replace(PLACE, (_, name: string, length: string) =>
    pick(lettersOf(alphabetOf(name)), Number(length)),
  );
  return filled.replace('{login}', () => btoa(`admin:${pick(lettersOf(alphabetOf('lower')), 12)}`));
}

function alphabetOf(name: string): string {
  const alphabet = ALPHABETS[name];
  if (alphabet === undefined) throw new Error(`The tables of secrets name an alphabet that there is not: ${name}`);
  return alphabet;
}

/** The texts that a pattern can begin with, and the class of characters that may stand before them. */
export type Start = { literals: string[]; before: { chars: string; max: number } | null };

export function findStart(pattern: string): Start {
  const lead = /^(\[(?:\\.|[^\]])+\]|\\d)\{\d+(?:,(\d+))?\}/.exec(pattern);
  const max = lead === null ? 0 : Number(lead[2] ?? /\{(\d+)/.exec(lead[0])?.[1]);
  const { texts } = readChoices({ pattern, at: lead?.[0].length ?? 0 });
  const literals = [...new Set(texts)];
  if (literals.some((text) => text.length < SHORTEST_START))
    throw new Error(`This pattern must begin with at least ${SHORTEST_START} letters that are known: ${pattern}`);
  return { literals, before: lead === null ? null : { chars: lead[1] ?? '', max } };
}

/** `isWhole`: the texts are all of the pattern, not only its beginning. */
type Expanded = { texts: string[]; isWhole: boolean };
type Reader = { pattern: string; at: number };

function readChoices(reader: Reader): Expanded {
  const choices = [readSequence(reader)];
  while (reader.pattern.charAt(reader.at) === '|') {
    reader.at++;
    choices.push(readSequence(reader));
  }
  return { texts: choices.flatMap(({ texts }) => texts), isWhole: choices.every(({ isWhole }) => isWhole) };
}

function readSequence(reader: Reader): Expanded {
  let texts = [''];
  let isWhole = true;
  while (reader.at < reader.pattern.length && !'|)'.includes(reader.pattern.charAt(reader.at))) {
    const next = readAtom(reader);
    const times = readTimes(reader);
    const most = texts.every((text) => text.length >= SHORTEST_START) ? ENOUGH_STARTS : MOST_STARTS;
    isWhole = next !== null && times !== '*' && !times.startsWith('{0,') && texts.length * next.texts.length <= most;
    if (!isWhole || next === null) break;
    const options = times === '?' ? [...next.texts, ''] : next.texts;
    texts = texts.flatMap((text) => options.map((option) => text + option));
    isWhole = next.isWhole && (times === '' || times === '?');
    if (!isWhole) break;
  }
  skipSequence(reader);
  return { texts, isWhole };
}

/** Its beginning is known no further: on to where the next one begins. */
function skipSequence(reader: Reader): void {
  const { pattern } = reader;
  for (let depth = 0; reader.at < pattern.length; reader.at++) {
    const sign = pattern.charAt(reader.at);
    if (depth === 0 && (sign === '|' || sign === ')')) return;
    if (sign === '\\') reader.at++;
    else if (sign === '[') reader.at = endOfClass(pattern, reader.at + 1);
    else if (sign === '(') depth++;
    else if (sign === ')') depth--;
  }
}

function endOfClass(pattern: string, from: number): number {
  let at = from;
  while (at < pattern.length && pattern.charAt(at) !== ']') at += pattern.charAt(at) === '\\' ? 2 : 1;
  return at;
}

/** All plain letters that follow, but for the last where a sign says how often it stands. */
function readPlain(reader: Reader, from: number): string {
  const { pattern } = reader;
  while (isPlain(pattern.charCodeAt(reader.at))) reader.at++;
  if (reader.at - from > 1 && '{*+?'.includes(pattern.charAt(reader.at) || ' ')) reader.at--;
  return pattern.slice(from, reader.at);
}

const isPlain = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45;

/** Null: it may be too many things. */
function readAtom(reader: Reader): Expanded | null {
  const { pattern, at } = reader;
  const sign = pattern.charAt(at);
  reader.at = at + (sign === '\\' ? 2 : 1);
  if (sign === '(') return readGroup(reader);
  if (sign === '[') return readClass(reader);
  if (sign === '.') return null;
  if (sign !== '\\') return { texts: [readPlain(reader, at)], isWhole: true };
  const escaped = pattern.charAt(at + 1);
  if ('wsSDWbB'.includes(escaped)) return null;
  return { texts: escaped === 'd' ? DIGITS : [ESCAPED[escaped] ?? escaped], isWhole: true };
}

const DIGITS = [...'0123456789'];
const ESCAPED: Record<string, string> = { d: '0-9', t: '\t', n: '\n', r: '\r' };

function readGroup(reader: Reader): Expanded | null {
  const { pattern, at } = reader;
  const kind = pattern.charAt(at) === '?' ? pattern.slice(at, at + (pattern.charAt(at + 1) === '<' ? 3 : 2)) : '';
  reader.at += kind.length;
  const inner = readChoices(reader);
  reader.at++;
  if (kind === '' || kind === '?:') return inner;
  return kind.startsWith('?<') ? { texts: [''], isWhole: true } : null;
}

function readClass(reader: Reader): Expanded | null {
  const start = reader.at;
  const end = endOfClass(reader.pattern, start);
  const letters = reader.pattern.slice(start, end);
  reader.at = end + 1;
  if (letters.startsWith('^') || letters.includes('\\w') || letters.includes('\\s')) return null;
  const plain = letters.includes('\\')
    ? letters.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter)
    : letters;
  const texts = LETTERS.get(plain) ?? [...lettersOf(plain)];
  LETTERS.set(plain, texts);
  return texts.length > MOST_STARTS ? null : { texts, isWhole: true };
}

const LETTERS = new Map<string, string[]>();

function readTimes(reader: Reader): string {
  const { pattern, at } = reader;
  const sign = pattern.charAt(at);
  if (sign === '{') reader.at = pattern.indexOf('}', at) + 1;
  else if (sign === '*' || sign === '+' || sign === '?') reader.at++;
  return pattern.slice(at, reader.at);
}

/** `A-Z2-7` → the letters themselves. */
function lettersOf(alphabet: string): string {
  return alphabet.replace(/(.)-(.)/g, (_, first: string, last: string) => {
    const codes = Array.from(
      { length: last.charCodeAt(0) - first.charCodeAt(0) + 1 },
      (_, i) => first.charCodeAt(0) + i,
    );
    return String.fromCharCode(...codes);
  });
}
