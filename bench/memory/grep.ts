// The control: grep over the same raw transcripts, as a good engineer would use it.
import { readFileSync } from 'node:fs';
import { readQuery } from '../../src/search/query-words.ts';

const AROUND = { before: 140, after: 180 };
const FIRST = 3;
const LAST = 3;

/** One call: the first and the last few matches, with what stands around each. */
export function grep(transcripts: string[], pattern: string): string {
  const expression = new RegExp(pattern, 'gi');
  const found = transcripts.flatMap((path) => {
    const text = readFileSync(path, 'utf8');
    let end = 0;
    return [...text.matchAll(expression)].flatMap(({ index, 0: match }) => {
      if (index < end) return [];
      end = index + match.length + AROUND.after;
      return [clean(text.slice(Math.max(0, index - AROUND.before), end))];
    });
  });
  return found.length <= FIRST + LAST ? found.join('\n') : [...found.slice(0, FIRST), ...found.slice(-LAST)].join('\n');
}

/** As one reads it: line ends and quotes are still written as JSON has them. */
const clean = (text: string) => text.replaceAll('\\n', ' ').replaceAll('\\"', '"').replaceAll('\n', ' ');

/** The same call for whoever has words and no pattern: any of those that search would look for. */
export function grepWords(transcripts: string[], words: string): string {
  const terms = readQuery(words).map(({ text }) => text.replace(/[^\p{L}\p{N}\p{M}]/gu, '\\$&'));
  return terms.length === 0 ? '' : grep(transcripts, terms.join('|'));
}

/** What a pattern looks for, without the signs that only grep reads. */
export const wordsOfPattern = (pattern: string) => pattern.replace(/\\[a-zA-Z]|[^\p{L}\p{N}\p{M}_./:-]+/gu, ' ').trim();
