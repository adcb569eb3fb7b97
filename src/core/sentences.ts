// Splits a paragraph into sentences in one pass: not inside code, nor after an abbreviation, nor in a file name or a version.

const ABBREVIATIONS = new Set([
  'e.g',
  'i.e',
  'etc',
  'vs',
  'cf',
  'approx',
  'fig',
  'incl',
  'resp',
  'dr',
  'mr',
  'mrs',
  'st',
  'bzw',
  'z.b',
]);

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

/** The sentences of a text that pass; null when none does. */
export function keepSentences(text: string, isKept: (sentence: string) => boolean): string | null {
  const lines = text.split('\n').flatMap((line) => {
    const sentences = splitSentences(line);
    const kept = sentences.filter(isKept);
    if (kept.length === sentences.length) return [line];
    return kept.length === 0 ? [] : [kept.join(' ')];
  });
  return lines.join('\n').trim() || null;
}
