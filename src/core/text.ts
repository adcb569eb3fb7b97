// Texts for people and for budgets: one line, sentences, counts and sizes, how many tokens one costs.

export function oneLine(text: string, max = 120): string {
  // A prompt may hold a whole file: no more of it is looked at than can be shown.
  const line = text
    .slice(0, max * 8)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= max) return line;
  const space = line.lastIndexOf(' ', max - 1);
  // Scripts without spaces are cut where they are.
  return `${line.slice(0, space > max * 0.6 ? space : max - 1).toWellFormed()}…`;
}

/** Splits a paragraph into sentences in one pass: not inside code, nor after an abbreviation, nor in a file name or a version. */
const ABBREVIATIONS = new Set(['e.g', 'i.e', 'etc', 'vs', 'cf', 'approx', 'fig', 'incl', 'resp', 'dr', 'mr', 'mrs', 'st', 'bzw', 'z.b']);

export function splitSentences(paragraph: string): string[] {
  const sentences: string[] = [];
  let start = 0;
  let inCode = false;
  for (let at = 0; at < paragraph.length; at++) {
    const char = paragraph[at];
    if (char === '`') inCode = !inCode;
    const end = inCode ? null : findEnd(paragraph, at);
    if (end === null) continue;
    sentences.push(paragraph.slice(start, end).trim());
    start = end;
    at = end - 1;
  }
  sentences.push(paragraph.slice(start).trim());
  return sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** A text of some lines without the sentences that are out; as it was where none is. Null when nothing is left. */
export function withoutSentences(text: string, isOut: (sentence: string) => boolean): string | null {
  const lines = text.split('\n').map((line) => {
    const sentences = splitSentences(line);
    const kept = sentences.filter((sentence) => !isOut(sentence));
    return kept.length === sentences.length ? line : kept.join(' ');
  });
  return lines.some((line) => /[\p{L}\p{N}]/u.test(line)) ? lines.filter((line) => line.trim()).join('\n') : null;
}

/** Where the sentence ends whose last sign may stand here, with the bracket or quote that it closes. Null when it goes on. */
function findEnd(text: string, at: number): number | null {
  const char = text[at] ?? '';
  if ('。！？'.includes(char)) return at + 1;
  if (!'.!?'.includes(char)) return null;
  // Two marks close a label in bold type, "**Flyway.** Version 10 …": it belongs to what it stands before.
  const end = ')"\'”*_'.includes(text[at + 1] || ' ') ? at + 2 : at + 1;
  if (!/\s/.test(text[end] ?? '')) return null;
  if (char !== '.' || !isAbbreviation(text, at)) return end;
  // "(list, get, etc.) are kept" goes on; "(and so on, etc.) The rest" does not.
  return end > at + 1 && !/^\s+\p{Ll}/u.test(text.slice(end, end + 8)) ? end : null;
}

function isAbbreviation(text: string, at: number): boolean {
  const word =
    text
      .slice(Math.max(0, at - 12), at)
      .split(/[\s(]/)
      .at(-1)
      ?.toLowerCase() ?? '';
  if (word === 'no') return /^\.\s*\d/.test(text.slice(at, at + 6));
  return ABBREVIATIONS.has(word) || (at < 3 && /^\d{1,2}$/.test(word)) || /^[a-z]$/.test(word);
}

export const keepSentences = (text: string, isKept: (sentence: string) => boolean): string | null =>
  withoutSentences(text, (sentence) => !isKept(sentence));

/** Letters and digits alone: without all that can be changed and still say the same word for word. */
export const bareWords = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** A number with its noun, as people say it: `1 session`, `2,000 sessions`, `1 summary`. */
export const sayCount = (value: number, many: string): string =>
  `${value.toLocaleString('en')} ${value === 1 ? many.replace(/ies$/, 'y').replace(/s$/, '') : many}`;

/** `a, b, c and 12 more`. */
export const nameFirst = (names: string[], most: number): string =>
  names.slice(0, most).join(', ') + (names.length > most ? ` and ${names.length - most} more` : '');

/** How big something is, the same wherever it is said: `12 KB`, `2.5 MB`, `1.2 GB`. Of thousands, as disks are sold. */
export function formatSize(bytes: number): string {
  if (bytes < 1e6) return `${Math.ceil(bytes / 1e3)} KB`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** A word as a shell takes it, for a command that a person may copy. */
export const quoteWord = (word: string) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

const CJK = /[⺀-鿿가-힯豈-﫿︰-﹏＀-￯]|[\u{20000}-\u{3ffff}]/gu;

/** How many tokens a text costs, estimated here and nowhere else: characters / 4, with one for each CJK character. */
export function estimateTokens(text: string): number {
  const cjk = text.match(CJK)?.length ?? 0;
  return cjk + Math.ceil((text.length - cjk) / 4);
}

/** A table that is looked up by words from outside: `constructor` is a word like any other, and every plain object has one. */
export const wordTable = <Value>(entries: Record<string, Value>): Record<string, Value> => Object.assign(Object.create(null), entries);
