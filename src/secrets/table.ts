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

// A lookaround, a group with groups of two levels in it, a class, an escaped or plain character; then how often.
const INNER = /\((?:[^()\\]|\\.|\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\))*\)/.source;
const ATOM = new RegExp(`(${INNER}|\\[(?:\\\\.|[^\\]])+\\]|\\\\.|[^\\\\])(\\*|\\+|\\?|\\{\\d+(?:,\\d*)?\\})?`, 'g');

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
export type Start = { literals: string[]; before: { chars: RegExp; max: number } | null };

export function findStart(pattern: string): Start {
  const lead = /^(\[(?:\\.|[^\]])+\]|\\d)\{\d+(?:,(\d+))?\}/.exec(pattern);
  const max = lead === null ? 0 : Number(lead[2] ?? /\{(\d+)/.exec(lead[0])?.[1]);
  const { texts } = expandChoices(lead === null ? pattern : pattern.slice(lead[0].length));
  const literals = [...new Set(texts)];
  if (literals.some((text) => text.length < SHORTEST_START))
    throw new Error(`This pattern must begin with at least ${SHORTEST_START} letters that are known: ${pattern}`);
  return { literals, before: lead === null ? null : { chars: new RegExp(lead[1] ?? ''), max } };
}

/** `isWhole`: the texts are all of the pattern, not only its beginning. */
type Expanded = { texts: string[]; isWhole: boolean };

function expandChoices(pattern: string): Expanded {
  const choices = splitChoices(pattern).map(expandSequence);
  return { texts: choices.flatMap(({ texts }) => texts), isWhole: choices.every(({ isWhole }) => isWhole) };
}

function expandSequence(pattern: string): Expanded {
  let texts = [''];
  for (const [, atom = '', times = ''] of pattern.matchAll(ATOM)) {
    const next = expandAtom(atom);
    if (next === null || /^(?:\*|\{0,)/.test(times) || texts.length * next.texts.length > MOST_STARTS)
      return { texts, isWhole: false };
    const options = times === '?' ? [...next.texts, ''] : next.texts;
    texts = texts.flatMap((text) => options.map((option) => text + option));
    if (!next.isWhole || /^[+{]/.test(times)) return { texts, isWhole: false };
  }
  return { texts, isWhole: true };
}

function expandAtom(atom: string): Expanded | null {
  if (/^\(\?<?[=!]/.test(atom)) return { texts: [''], isWhole: atom.startsWith('(?<') };
  if (atom.startsWith('(')) return expandChoices(atom.replace(/^\((?:\?:)?/, '').slice(0, -1));
  if (atom === '\\d') return { texts: [...lettersOf('0-9')], isWhole: true };
  if (/^\\[wsSDWbB]$/.test(atom) || atom === '.' || atom.startsWith('[^')) return null;
  if (atom.startsWith('[')) return expandClass(atom.slice(1, -1));
  return { texts: [atom.startsWith('\\') ? atom.slice(1) : atom], isWhole: true };
}

function expandClass(letters: string): Expanded | null {
  if (/\\[wsSD]/.test(letters)) return null;
  const texts = [...lettersOf(letters.replaceAll('\\d', '0-9').replace(/\\(.)/g, '$1'))];
  return texts.length > 40 ? null : { texts, isWhole: true };
}

function splitChoices(pattern: string): string[] {
  const parts: string[] = [''];
  for (const [atom] of pattern.matchAll(ATOM)) {
    if (atom === '|') parts.push('');
    else parts[parts.length - 1] += atom;
  }
  return parts;
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
