// The words of a text that a plain tokenizer does not see: pieces of identifiers, pairs of CJK characters.

/** Scripts that put no spaces between words (and Korean, whose particles stick to them). */
const CJK = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}ー々〆';
const CJK_RUN = new RegExp(`[${CJK}]+`, 'gu');
const ANY_CJK = new RegExp(`[${CJK}]`, 'u');
/** Letters and digits, with what joins them in code and paths. */
const NAME = /[\p{L}\p{N}_$]+(?:[.:/\\-]+[\p{L}\p{N}_$]+)*/gu;
const SEVERAL_PIECES = /\p{Ll}\p{Lu}|\p{Lu}\p{Lu}\p{Ll}|\p{L}\p{N}/u;
/** As most words are: looked at without tables of Unicode, which take a multiple of the time. */
const PLAIN_WORD = /^[A-Z]?[a-z]*$/;
const CAMEL_PIECE = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{N}+/gu;

/** How much of a text is looked at: a page of any length must not hold up whoever stores it. */
const MAX_LENGTH = 20_000;
const MAX_NAMES = 200;
const LONGEST_NAME = 200;

/** `parseQuery東京都` → `parse Query 東京 京都 都`: each identifier with more than one piece, each CJK run by pairs. */
export function splitParts(text: string): string {
  const head = text.slice(0, MAX_LENGTH);
  const composed = composeText(head);
  return [...camelPieces(composed), ...cjkPairs(composed), ...plainWords(head)].join(' ');
}

/** One way to write each character: `ガ` from a Mac's file names, `ＡＰＩ` from a Japanese keyboard. */
export const composeText = (text: string) => (isAscii(text) ? text : text.normalize('NFKC'));

/** Words as somebody would type them, where the tokenizer sees others: `dockerを` → `docker`, `λόγος` → `λογος`. */
function plainWords(text: string): string[] {
  // Arrows, lines and curly quotes are no words: most texts in English have no others beyond ASCII.
  if (!/[^\x00-\x7f]/.test(text) || !/(?![\x00-\x7f])[\p{L}\p{N}\p{M}]/u.test(text)) return [];
  return [...text.matchAll(/[\p{L}\p{N}\p{M}]+/gu)].flatMap(([word]) => {
    if (isAscii(word)) return [];
    const seen = isLatin(word) ? foldMarks(word) : word.toLowerCase();
    return withoutCjk(composeText(word))
      .map(foldMarks)
      .filter((plain) => plain !== seen);
  });
}

export const withoutCjk = (text: string) => text.split(CJK_RUN).filter(Boolean);

/** Without case and without the marks that people leave out: accents, points of Hebrew and Arabic. Vowels of other scripts stay. */
export function foldMarks(word: string): string {
  const plain = word.toLowerCase();
  return isAscii(plain) ? plain : plain.normalize('NFD').replace(MARKS, '').normalize('NFC');
}
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670]/gu;

/** Of these alone the tokenizer of the index takes the marks away. */
export const isLatin = (word: string) => /^(?:[\p{Script=Latin}\p{N}]|[\u0300-\u036f])*$/u.test(word);
export const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text);

export function camelPieces(text: string): string[] {
  const pieces: string[] = [];
  if (!SEVERAL_PIECES.test(text)) return pieces;
  for (const word of text.match(/[\p{L}][\p{L}\p{N}]*/gu) ?? []) {
    // Nearly every word ends here. `URLs` is one word and its plural.
    if (PLAIN_WORD.test(word) || !SEVERAL_PIECES.test(word)) continue;
    if (word.length > LONGEST_NAME || /^\p{Lu}+s$/u.test(word)) continue;
    const found = word.match(CAMEL_PIECE) ?? [];
    if (found.length > 1) pieces.push(...found);
  }
  return pieces;
}

/** The last character of a run stands alone too, so that a query of one character finds it. */
export const cjkPairs = (text: string): string[] => listRuns(text).flatMap((run) => [...pairUp(run), run.at(-1) ?? '']);

/** As a query asks for them: a character alone only where it is all there is, else `서버` would find `버튼`; no endings, unless all are. */
export function askedPairs(text: string): string[] {
  const pairs = listRuns(text).flatMap((run) => (run.length === 1 ? run : pairUp(run)));
  const telling = pairs.filter((pair) => !ENDING.test(pair));
  return telling.length > 0 ? telling : pairs;
}

/** Particles and endings are written in hiragana, and end a word: `の再`, `ンの` and `から` are no part of one, `使う` is. */
const ENDING = /^\p{Script=Hiragana}|^[\p{Script=Katakana}ー]\p{Script=Hiragana}/u;

const listRuns = (text: string) => [...text.matchAll(CJK_RUN)].map(([run]) => [...run]);
const pairUp = (run: string[]) => run.slice(1).map((character, at) => `${run[at]}${character}`);

export const hasCjk = (text: string) => ANY_CJK.test(text);

/** What looks like a name in code or a path: to be found by any part of it. */
export function listNames(text: string): string {
  const names = new Set<string>();
  for (const name of text.slice(0, MAX_LENGTH).match(NAME) ?? []) {
    if (names.size >= MAX_NAMES) break;
    if (name.length < 4 || (name.length < 12 && PLAIN_WORD.test(name))) continue;
    const isName = name.length >= 12 || /[\p{N}_$./\\:]|\p{Ll}\p{Lu}/u.test(name);
    if (isName && /\p{L}/u.test(name)) names.add(name.slice(0, LONGEST_NAME));
  }
  return [...names].join(' ');
}
