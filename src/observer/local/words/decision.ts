// Sentences in which the agent states a decision: what was chosen, why, and what was not.
import { bareText } from '../text/plain.ts';
import type { Line } from '../turn.ts';
import { isChatter, isOffer } from './chatter.ts';
import { statesDecision } from './decision-pattern.ts';
import { stripSpeaker } from './lead-in.ts';

export type Decision = { line: Line; text: string; why: string | null; rejected: string | null };

const REASON =
  /\b(?:because|since|so that|to avoid|in order to|due to|given that|as (?:it|they|the|this|that) (?:is|are|was|would|has|have|needs?)\b)/i;

const known = new WeakMap<Line, Decision | null>();

/** Asked for by all who look for decisions, reasons and what is left to do: read once. */
export function readDecision(line: Line): Decision | null {
  const before = known.get(line);
  if (before !== undefined) return before;
  const read = readAnew(line);
  known.set(line, read);
  return read;
}

function readAnew(line: Line): Decision | null {
  const text = stripSpeaker(line.text);
  if (isChatter(line.text) || isOffer(line.text) || text.length < 18 || text.endsWith('?')) return null;
  if (!statesDecision(line, text)) return null;
  const [reason, chosen] = chosenAfter(text);
  return {
    line,
    text: chosen.replace(/^(?:decided to|why (?=[^:]{2,50}:)) ?(\w)/i, (_, first: string) => first.toUpperCase()),
    why: reason ?? whyIn(text),
    rejected: rejectedIn(text),
  };
}

/** "A lost message would hang for half a day, so I preferred a due date": the choice is told first, the reason after it. */
function chosenAfter(text: string): [string | null, string] {
  const found = CHOSEN.exec(text);
  if (!found?.[1] || !found[2]) return [null, text];
  return [found[1].replace(/^then /i, ''), found[2].charAt(0).toUpperCase() + found[2].slice(1)];
}

const CHOSEN =
  /^(.{15,300}?)[,;:—–]? (?:so|therefore|which is why|hence),? (?:I|we) ((?:preferred|chose|picked|went (?:with|for)|opted|settled|took|decided|kept|stay(?:ed)?|use[d]?|put|store[d]?)\b(?! (?:it|them|that|this)\b).{8,})$/i;

export function whyIn(text: string): string | null {
  const found = REASON.exec(text);
  const dash = / [—–] | - |; /.exec(text);
  const at = found ? found.index : dash ? dash.index + dash[0].length : -1;
  if (at <= 0) return null;
  const why = text
    .slice(at)
    .replace(/^(?:because|since|given that|due to)\s+/i, '')
    .replace(/[.!]+$/, '')
    .trim();
  return why.length >= 8 ? why : null;
}

export function rejectedIn(text: string): string | null {
  const considered = /\b(?:considered|looked at|weighed|thought about)\s+(.{2,100}?)(?:,|;| but\b)/i.exec(text)?.[1];
  if (considered) return bareText(considered);
  const found =
    /\b(?:instead of|rather than|over(?! (?:is|are|was|were|bills?|the (?:last|next|past))\b)|in favou?r of|not|against)\s+(.{2,100})/i.exec(
      text.replace(
        /\b(?:did not|do not|does not|is not|not to|not yet|(?:must|may|should|shall|will|can) not)\b/gi,
        ' ',
      ),
    );
  if (!found?.[1]) return null;
  const inFavour = /in favou?r of/i.test(found[0]);
  const end = found[1].search(
    /[,;.!?](?:\s|$)|\s[—–-]\s|\b(?:because|since|so that|so |to avoid|to keep|as it|given|which|for |due to|in order)\b|\)/i,
  );
  const rejected = bareText(end < 0 ? found[1] : found[1].slice(0, end)).trim();
  return inFavour || rejected.length < 2 ? null : rejected;
}
