// What a person or an agent wrote, cut in the middle when it is long.
import { cleanText } from './clean-text.ts';
import { toLines } from './lines.ts';
import { pickLines } from './pick-lines.ts';

/** Beginning and end; `head` is the beginning's share. At most maxChars. */
export function condenseWords(text: string, maxChars: number, head = 0.6): string {
  const cleaned = cleanText(text).trim();
  if (cleaned.length <= maxChars) return cleaned;
  // Prose comes in long lines: where there is little room they are cut finer.
  const pieces = Math.max(60, Math.min(300, Math.floor(maxChars / 6)));
  const lines = toLines(cleaned, pieces).map((line) => ({ ...line, rank: 0 }));
  return pickLines(lines, { maxChars, head, tail: 1 - head });
}

/** The first words on one line, with a sign where it was cut. */
export function oneLine(text: string, maxChars: number): string {
  if (maxChars < 8) return '';
  const line = text
    .slice(0, 4 * maxChars)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= maxChars && text.length <= 4 * maxChars) return line;
  const end = Math.min(line.length, maxChars - 2);
  const space = line.lastIndexOf(' ', end);
  return `${line.slice(0, space > end * 0.6 ? space : end).toWellFormed()} …`;
}
