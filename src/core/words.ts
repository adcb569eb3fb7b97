// The words of a text that a plain tokenizer does not see: pieces of identifiers, pairs of CJK characters.

/** Scripts that put no spaces between words (and Korean, whose particles stick to them). */
const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}ー々〆';
const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu');
/** Letters and digits, with what joins them in code and paths. */
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*(?:[.:/\\-]+[\p{L}\p{N}_$]+)*/gu;
const CAMEL_PIECE = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu;

/** How much of a text is looked at: a page of any length must not hold up whoever stores it. */
const MAX_LENGTH = 20_000;
const MAX_NAMES = 200;
const LONGEST_NAME = 200;

/** `parseQuery東京都` → `parse Query 東京 京都 都`: each identifier with more than one piece, each CJK run by pairs. */
export function splitParts(text: string): string {
  const head = text.slice(0, MAX_LENGTH);
  return [...camelPieces(head), ...cjkPairs(head)].join(' ');
}

export function camelPieces(text: string): string[] {
  const pieces: string[] = [];
  for (const [word] of text.matchAll(/[\p{L}][\p{L}\p{N}]*/gu)) {
    if (word.length > LONGEST_NAME || !/\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|\p{L}\p{N}/u.test(word)) continue;
    const found = word.match(CAMEL_PIECE) ?? [];
    if (found.length > 1) pieces.push(...found);
  }
  return pieces;
}

/** The last character of a run stands alone too, so that a query of one character finds it. */
export function cjkPairs(text: string): string[] {
  const pairs: string[] = [];
  for (const [run] of text.matchAll(CJK_RUN)) {
    const characters = [...run];
    for (let at = 0; at + 1 < characters.length; at++) pairs.push(`${characters[at]}${characters[at + 1]}`);
    pairs.push(characters.at(-1) ?? '');
  }
  return pairs;
}

export const hasCjk = (text: string) => new RegExp(`[${CJK}]`, 'u').test(text);

/** What looks like a name in code or a path: to be found by any part of it. */
export function listNames(text: string): string {
  const names = new Set<string>();
  for (const [name] of text.slice(0, MAX_LENGTH).matchAll(NAME)) {
    if (names.size >= MAX_NAMES) break;
    const isName = name.length >= 12 || /[\p{N}_$./\\:]|\p{Ll}\p{Lu}/u.test(name);
    if (isName && name.length >= 4) names.add(name.slice(0, LONGEST_NAME));
  }
  return [...names].join(' ');
}
