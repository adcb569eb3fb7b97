// The control: grep over the same raw transcripts, as a good engineer would use it.
import { readFileSync } from 'node:fs';

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
