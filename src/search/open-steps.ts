// What was to be done next and nothing later has done.
import { oneLine } from '../core/one-line.ts';
import { foldRepeats, indexDeeds } from './alike.ts';

export type Step = { text: string; id: string; at: number };
export type Deed = { text: string; at: number };

/** So many are compared with each other: more than can be told, and few enough to be quick. */
const MOST_COMPARED = 150;

/** The steps that nothing later has taken, be it of the same session; the newest first. */
export function listOpenSteps(steps: Step[], later: Deed[], most: number): Step[] {
  const isTaken = indexDeeds(later);
  const newest = steps
    .filter((step) => !isOffer(step.text) && !isTaken(step.text, (deed) => deed.at > step.at))
    .sort((a, b) => a.at - b.at)
    .slice(-MOST_COMPARED);
  return foldRepeats(newest)
    .reverse()
    .slice(0, most)
    .map((step) => ({ ...step, text: oneLine(step.text, 280) }));
}

/** "Shall I add an index?" waits for a yes; nobody has left it to be done. */
const isOffer = (text: string) =>
  /^(?:would you like|do you want|(?:you )?want me to|shall I|should I|may I|can I)\b.*\?\s*$/i.test(text);

/** One item for each line of a list, else for each line. */
export function splitItems(text: string | null): string[] {
  if (!text) return [];
  return text
    .split('\n')
    .map((line) => line.replace(/^\s*(?:[-*•]|\d+[.)])\s+(?:\[[ x]\]\s+)?/, '').trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
}
