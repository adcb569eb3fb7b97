// What a command or tool printed, cut to what tells how it went.
import { cleanText } from './clean-text.ts';
import { collapseRuns } from './line-shape.ts';
import { toLines } from './lines.ts';
import { pickLines } from './pick-lines.ts';
import { rankOutput } from './rank-output.ts';

/** Beginning and end, and from between them what went wrong. At most maxChars. */
export function condenseOutput(text: string, maxChars: number): string {
  const cleaned = cleanText(text);
  if (cleaned.length <= maxChars) return cleaned;
  const collapsed = collapseRuns(cleaned);
  return pickLines(rankOutput(toLines(collapsed)), { maxChars, head: 0.15, tail: 0.3 });
}
