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
    if (inCode || !endsSentence(paragraph, at)) continue;
    sentences.push(paragraph.slice(start, at + 1).trim());
    start = at + 1;
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

function endsSentence(text: string, at: number): boolean {
  const char = text[at] ?? '';
  if ('。！？'.includes(char)) return true;
  if (!'.!?'.includes(char)) return false;
  const next = text[at + 1];
  if (next === undefined || !/[\s)"'”*_]/.test(next)) return false;
  if (next !== ' ' && next !== '\n' && next !== '\t') return /\s/.test(text[at + 2] ?? '');
  return char !== '.' || !isAbbreviation(text, at);
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
