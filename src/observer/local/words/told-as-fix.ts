// A message that tells its work as a repair: "**Cause:** … **Fix:** …", or a failure that "is gone" now.
import type { Line } from '../turn.ts';

/** `prompt` decides what "green now" is worth: it tells of a repair only where something was red. */
export function isToldAsFix(lines: Line[], prompt: string): boolean {
  if (lines.some(isLabelledCause) && lines.some(isLabelledFix)) return true;
  const isRed = RED.test(prompt);
  return lines.some(({ text }) => !HALF.test(text) && (isGone(text) || (isRed && GREEN_NOW.test(text))));
}

/** "The deadlock is gone" tells how it ended, not why it was there. */
export function isGone(text: string): boolean {
  return GONE.test(text);
}

export function isLabelledFix(line: Line): boolean {
  return FIX_LABEL.test(line.text) || FIX_SECTION.test(line.section);
}

function isLabelledCause(line: Line): boolean {
  return CAUSE_LABEL.test(line.text) || CAUSE_SECTION.test(line.section);
}

const CAUSE_LABEL =
  /^(?:the )?(?:root |real |actual |underlying )?(?:causes?|culprit|diagnosis|problem|bug)\s*(?::|[—–-]\s)/i;
const CAUSE_SECTION = /^(?:the )?(?:root |real |actual |underlying )?(?:causes?|culprit|diagnosis|problem|bug)$/i;
const FIX_LABEL = /^(?:the )?(?:fix|changes?|solution|remedy|repair|resolution)\s*(?::|[—–-]\s)/i;
const FIX_SECTION = /^(?:the )?(?:fix|solution|remedy|repair|resolution)$/i;

const FAULT =
  '(?:flak(?:e|es|iness|y \\w+)|failures?|errors?|crash(?:es)?|races?|leaks?|bugs?|timeouts?|deadlocks?|hangs?|panics?|segfaults?)';
const GONE = new RegExp(`\\b${FAULT}(?: \\S+){0,4}? (?:is|are) (?:now )?(?:gone|history)\\b`, 'i');
const GREEN_NOW =
  /\b(?:is|are) (?:now )?(?:fixed|solved)\b|\b(?:is|are|goes|went|runs?) (?:stable and )?green (?:now|again)\b|\bno longer (?:red|flaky|fail(?:s|ing)?|crash(?:es|ing)?|hangs?|hanging|times? out)\b/i;
const RED = /\b(?:red|flak\w+|fail(?:s|ed|ing|ures?)?|broken?|breaks|crash\w*|hangs?|times? out|timeouts?)\b/i;

/** "Once the error is gone", "not all failures are gone": not there yet. */
const HALF = /\b(?:once|until|when|if|unless|whether|not|hardly|almost|nearly)\b|n['’]t\b|\?$/i;
