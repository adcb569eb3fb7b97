// The sentence in which an agent says what it did: the best title when no commit names the work.
import { contentWords, sharedWords } from '../text/tokens.ts';
import type { Line } from '../turn.ts';
import { isStrongCause } from './cause.ts';
import { afterColon, isCaveat, isChatter, isOffer, isVerification } from './chatter.ts';
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

/** `lead` = only the opening sentence, without a verb of work. */
export type Headline = { line: Line; text: string; lead: boolean };

/** `names` are the files and symbols that changed, `topic` what was asked: a sentence that speaks of them is about the work. */
export function findHeadline(lines: Line[], names: string[], topic: string): Headline | null {
  const ranked = doneLines(lines)
    .map((line, at) => ({ line, text: headlineOf(line.text), lead: false, score: score(line, names) - at * 0.2 }))
    .filter((one) => one.score > 0 && contentWords(one.text).size >= 3)
    .sort((a, b) => b.score - a.score);
  return ranked[0] ?? leadSentence(lines, names, topic);
}

/** No verb of work, but the message opens with a plain statement about it; in other languages that is all we can tell. */
function leadSentence(lines: Line[], names: string[], topic: string): Headline | null {
  const line = lines.find((one) => !isChatter(one.text) && one.text.length >= 20);
  if (
    !line ||
    line.item ||
    line.block > (lines[0]?.block ?? 0) + 1 ||
    /\bwill\b/.test(line.text) ||
    /[?:]$/.test(line.text) ||
    isDeadEnd(line) ||
    isVerification(line.text) ||
    isCaveat(line.text) ||
    readDecision(line)
  )
    return null;
  const isNamed = names.some((name) => name.length > 3 && line.text.includes(name));
  const isAbout = isNamed || sharedWords(line.text, topic) >= 1 || !isEnglish(lines);
  return isAbout && !isStrongCause(line.text) && contentWords(line.text).size >= 3
    ? { line, text: headline(line.text), lead: isEnglish(lines) }
    : null;
}

function headlineOf(text: string): string {
  const rest = afterColon(text);
  if (/^\w+ (?:by|with|in|via|through|it|that|this)\b/i.test(rest)) return headline(text);
  return !startsWithPastVerb(stripSpeaker(text)) && startsWithPastVerb(rest) ? headline(rest) : headline(text);
}

function isEnglish(lines: Line[]): boolean {
  const text = lines
    .map((line) => line.text)
    .join(' ')
    .slice(0, 2000);
  const common = text.match(/\b(?:the|is|are|was|to|and|of|it|now|this|that|for|with|on|I|a|in|by)\b/gi)?.length ?? 0;
  return common >= text.split(' ').length * 0.12;
}

function isDone(line: Line): boolean {
  const { text } = line;
  if (
    isChatter(text) ||
    isOffer(text) ||
    isVerification(text) ||
    isCaveat(text) ||
    text.endsWith('?') ||
    text.endsWith(':') ||
    text.length < 12
  )
    return false;
  if (/^(?:nothing|no )/i.test(text)) return false;
  if (line.item && DONE_SECTION.test(line.section)) return true;
  return (
    startsWithPastVerb(stripSpeaker(text)) ||
    startsWithPastVerb(afterColon(text)) ||
    (NOW.test(text) && !(readDecision(line) && /^(?:I|we)\b/i.test(text))) ||
    FIX.test(text) ||
    PASSIVE.test(text)
  );
}

const DONE_SECTION =
  /^(?:what(?:['’]s| is| was| I)? ?(?:changed|new|done|did|added|built|implemented|in it)|(?:key |main |summary of )?changes(?: made)?|implementation|features?|highlights|files? (?:changed|modified|created|added)|added|completed|done)\b/i;
const NOW = /(?<!\b(?:for|right|until|by|from|as of) )\bnow\b|\bno longer\b/i;
const FIX = /^(?:the )?fix(?:ed)?\b|\bfixed (?:by|it by|this by|in|with)\b|^(?:I|we)\b.{0,20}\bfixed\b/i;
const PASSIVE =
  /\bsuccessfully\b|\b(?:has|have) been (?:\w+ed|rewritten|split|built|set)\b|\b(?:is|are) (?:implemented|in place|wired|added|removed|fixed|migrated|applied|deployed|published|live|merged)\b/i;

function score(line: Line, names: string[]): number {
  const text = line.text.toLowerCase();
  const named = names.some((name) => name.length > 2 && text.includes(name.toLowerCase()));
  const decision = readDecision(line) ? -1.5 : 0;
  const isAside =
    /^(?:I |we )?(?:also )?(?:add|wr[io]te?|updat)\w* (?:an? |the |\d+ |some |more )?(?:regression |unit |new )?(?:tests?|specs?|docs?|cases|changelog|readme)\b/i.test(
      line.text,
    );
  const isPointer = /^(?:it|they|this|that|both)\b/i.test(stripSpeaker(line.text));
  const verb = startsWithPastVerb(stripSpeaker(line.text)) ? 3 : FIX.test(line.text) ? 2.5 : 1.5;
  return (
    verb +
    (named ? 1 : 0) +
    (line.item ? -1 : 0.5) +
    (line.block === 0 ? 0.7 : 0) +
    decision +
    (isAside ? -1.5 : 0) +
    (isPointer ? -1.5 : 0) +
    (line.text.length > 260 ? -1 : 0)
  );
}
