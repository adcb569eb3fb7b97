// A change of a file, cut to what is new in it: a rename in forty places counts once, the odd change beside it stays.
import type { Hunk } from '../../core/event.ts';
import { cleanText } from './clean-text.ts';
import { toLines } from './lines.ts';
import { pickLines, type RankedLine } from './pick-lines.ts';
import { rankCode } from './rank-code.ts';

/** Hunks with their signs and line numbers; a created file as its beginning and what it declares. At most maxChars. */
export function condenseChange(hunks: Hunk[], created: boolean, maxChars: number): string {
  if (created) return condenseCreated(hunks, maxChars);
  const lines = rankChanges(hunks);
  const fits = lines.reduce((sum, { text }) => sum + text.length + 1, 0) <= maxChars;
  const shown = fits ? lines : lines.filter(({ rank }) => rank >= 0);
  return pickLines(shown, { maxChars, head: 0, tail: 0, gap: 'dots' });
}

function condenseCreated(hunks: Hunk[], maxChars: number): string {
  const content = withinReach(hunks).flatMap((hunk) =>
    hunk.lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1)),
  );
  const lines = toLines(cleanText(content.join('\n')));
  const ranked = lines.map((line) => ({ ...line, rank: rankCode(line.text) }));
  return pickLines(ranked, { maxChars, head: 0.25, tail: 0.05, gap: 'dots' });
}

/** Changed lines by what they bring that no changed line before them had; then the lines around them. */
function rankChanges(hunks: Hunk[]): RankedLine[] {
  const known = new Set<string>();
  let line = 0;
  return withinReach(hunks).flatMap((hunk, group) => {
    const header = { text: `[line ${hunk.newStart}]`, line: line++, rank: hunks.length > 1 ? 1 : 0, group };
    const lines = cleanText(hunk.lines.join('\n')).split('\n');
    const countNew = createNovelty(lines, known);
    const ranked = lines.flatMap((text, at) => {
      const rank = isChanged(text) ? rankChanged(text, countNew) : rankContext(lines, at);
      line += 1;
      return toLines(text).map((piece) => ({ text: piece.text, line, rank, group }));
    });
    return [header, ...ranked];
  });
}

/** Nobody reads a change of more lines; it is counted whole elsewhere. */
const LINES_READ = 5000;

function withinReach(hunks: Hunk[]): Hunk[] {
  let left = LINES_READ;
  return hunks.slice(0, LINES_READ).flatMap((hunk) => {
    const lines = hunk.lines.slice(0, Math.max(0, left));
    left -= hunk.lines.length;
    return lines.length > 0 ? [{ ...hunk, lines }] : [];
  });
}

/** How many words of a line are on one side of the change only, and in no change before it. */
function createNovelty(lines: string[], known: Set<string>): (line: string) => number {
  const sides = { '+': new Set<string>(), '-': new Set<string>() };
  for (const line of lines)
    if (isChanged(line)) for (const word of wordsOf(line)) sides[line.startsWith('+') ? '+' : '-'].add(word);
  return (line) => {
    const other = sides[line.startsWith('+') ? '-' : '+'];
    return wordsOf(line).filter((word) => !other.has(word) && !known.has(word) && known.add(word)).length;
  };
}

const wordsOf = (line: string) => line.slice(1, 400).match(/[\p{L}_$][\p{L}\p{N}_$]*|\d+(?:\.\d+)?/gu) ?? [];

/** Added lines before removed ones: what is there now matters more than what was. */
function rankChanged(text: string, countNew: (line: string) => number): number {
  const fresh = countNew(text);
  const code = rankCode(text.slice(1));
  if (code === 0) return 1;
  if (fresh === 0) return 2;
  const isAdded = text.startsWith('+');
  if (code >= 3) return isAdded ? 6 : 4;
  return (fresh > 1 ? 4 : 3) + (isAdded ? 1 : 0);
}

/** One line on each side shows where it is; the rest is in the file. */
function rankContext(lines: string[], at: number): number {
  return isChanged(lines[at - 1]) || isChanged(lines[at + 1]) ? 0.5 : -1;
}

const isChanged = (line: string | undefined) => line !== undefined && /^[+-]/.test(line);
