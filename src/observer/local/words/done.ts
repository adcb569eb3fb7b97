// The sentence in which an agent says what it did: the best title when no commit names the work.
import { contentWords } from '../text/tokens.ts';
import type { Line } from '../turn.ts';
import { isChatter, isOffer, isVerification } from './chatter.ts';
import { isDeadEnd } from './dead-end.ts';
import { readDecision } from './decision.ts';
import { headline, stripSpeaker } from './lead-in.ts';
import { findNextSteps } from './next-step.ts';
import { startsWithPastVerb } from './verbs.ts';

/** Sentences that tell of work done, in order. */
export function doneLines(lines: Line[]): Line[] {
  const steps = new Set(findNextSteps(lines).map((step) => step.line));
  return lines.filter((line) => !steps.has(line) && !isDeadEnd(line) && isDone(line));
}

/** `names` are the files and symbols that changed: a sentence that speaks of them is about the work. */
export function findHeadline(lines: Line[], names: string[]): { line: Line; text: string } | null {
  const ranked = doneLines(lines)
    .map((line, at) => ({ line, text: headline(line.text), score: score(line, names) - at * 0.2 }))
    .filter((one) => one.score > 0 && contentWords(one.text).size >= 3)
    .sort((a, b) => b.score - a.score);
  return ranked[0] ?? null;
}

function isDone(line: Line): boolean {
  const { text } = line;
  if (
    isChatter(text) ||
    isOffer(text) ||
    isVerification(text) ||
    text.endsWith('?') ||
    text.endsWith(':') ||
    text.length < 12
  )
    return false;
  return startsWithPastVerb(stripSpeaker(text)) || NOW.test(text) || FIX.test(text) || PASSIVE.test(text);
}

const NOW = /\b(?:now|no longer)\b/i;
const FIX = /^(?:the )?fix(?:ed)?\b|\bfixed (?:by|it by|this by|in|with)\b|^(?:I|we)\b.{0,20}\bfixed\b/i;
const PASSIVE =
  /\b(?:has|have) been (?:\w+ed|rewritten|split|built|set)\b|\b(?:is|are) (?:implemented|in place|wired|added|removed|fixed|migrated)\b/i;

function score(line: Line, names: string[]): number {
  const text = line.text.toLowerCase();
  const named = names.some((name) => name.length > 2 && text.includes(name.toLowerCase()));
  const decision = readDecision(line) ? -1.5 : 0;
  const verb = startsWithPastVerb(stripSpeaker(line.text)) ? 3 : FIX.test(line.text) ? 2.5 : 1.5;
  return verb + (named ? 1 : 0) + (line.item ? -0.3 : 0.5) + decision + (line.text.length > 260 ? -1 : 0);
}
