// A prompt that leaves a choice to the agent, and the sentence in which the agent makes it while it does the work.
import { sharedWords } from '../text/tokens.ts';
import type { Line } from '../turn.ts';
import { isChatter, isOffer, isVerification } from './chatter.ts';

const ASKS =
  /\bwhich (?:\w+ ){0,4}(?:should|do|would|is|to|one|fits?)\b|\byour call\b|\bup to you\b|\byou (?:decide|choose|pick)\b|\bshould (?:we|i|it|the|this|\w+)\b[^.!?\n]{3,120}\bor\b[^.!\n]{0,80}\?|\b\w+ (?:or|vs\.?) (?:\w+ ){0,4}\w+\?/i;
const REASON = /\b(?:because|since|would|cannot|can't|but|too|lighter|simpler|heavier|wants|needs)\b|:\s/i;

/** Null when nothing was left open. An answer without work is advice: it is told as what was found out. */
export function choiceIn(lines: Line[], prompt: string): Line | null {
  if (!ASKS.test(prompt)) return null;
  const usable = lines.filter((line) => !isChatter(line.text) && !isOffer(line.text) && !isVerification(line.text));
  return usable.find((line) => REASON.test(line.text) && sharedWords(line.text, prompt) >= 1) ?? null;
}
