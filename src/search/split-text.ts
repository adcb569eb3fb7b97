// A long text in parts that an embedder takes in whole, each under the title of the text.
import { MAX_PARTS } from '../store/index/vector-keys.ts';

/** About what a model of 256 tokens reads; what is longer would be cut off unseen. */
const PART_LENGTH = 900;
const TITLE_LENGTH = 120;

/** At most eight parts; of a longer text its beginning. */
export function splitText(text: string): string[] {
  const whole = text.trim();
  if (whole.length <= PART_LENGTH) return whole === '' ? [] : [whole];
  const title = (whole.split('\n', 1)[0] ?? '').slice(0, TITLE_LENGTH).toWellFormed();
  const parts: string[] = [];
  let rest = whole;
  while (rest !== '' && parts.length < MAX_PARTS) {
    const prefix = parts.length === 0 ? '' : `${title}\n`;
    const end = findEnd(rest, PART_LENGTH - prefix.length);
    parts.push(`${prefix}${rest.slice(0, end).trim()}`.toWellFormed());
    rest = rest.slice(end).trimStart();
  }
  return parts;
}

/** The last end of a paragraph, else a line, a sentence or a word, in the second half of what fits. */
function findEnd(text: string, length: number): number {
  if (text.length <= length) return text.length;
  const room = text.slice(0, length);
  for (const mark of [/\n\s*\n/g, /\n/g, /[.!?。！？]["')\]]?(?=\s|[^\x00-\x7f])/g, /\s/g]) {
    let end = 0;
    for (const match of room.matchAll(mark)) end = match.index + match[0].length;
    if (end > length / 2) return end;
  }
  return length;
}
