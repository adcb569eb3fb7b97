// "Two things were wrong": an agent that says how many faults it found tells them one after the other.
import { wordTable } from '../../core/word-table.ts';
import type { Line } from './turn.ts';
import { isChatter, isOffer, isVerification } from './words/chatter.ts';
import { findDeadEnds } from './words/dead-end.ts';
import { readDecision } from './words/decision.ts';
import { findNextSteps } from './words/next-step.ts';

const NUMBERS = wordTable<number>({ both: 2, two: 2, three: 3, four: 4, five: 5, '2': 2, '3': 3, '4': 4, '5': 5 });
const ANNOUNCES =
  /\b(both|two|three|four|five|[2-5])\b (?:\w+ ){0,2}(?:things?|problems?|bugs?|issues?|causes?|reasons?|faults?|mistakes?|errors?|failures?)\b/i;
const OPENS_ANOTHER =
  /^(?:first|second|third|fourth|one\b|the (?:first|second|third|other|last)|another|and\b|also|then|besides|on top|after that|once that|next|in addition|finally)/i;

/** The sentences of each fault; empty when none are announced or the count does not fit. */
export function announcedFixes(lines: Line[]): Line[][] {
  const at = lines.findIndex((line) => ANNOUNCES.test(line.text) && line.text.length < 120);
  const first = lines[at] ?? lines.find((line) => ANNOUNCES.test(line.section));
  const count =
    NUMBERS[(ANNOUNCES.exec(at < 0 ? (first?.section ?? '') : (first?.text ?? ''))?.[1] ?? '').toLowerCase()];
  if (!first || !count) return [];
  const after = at < 0 ? lines.filter((line) => line.section === first.section) : lines.slice(at + 1);
  const groups = groupsOf(withoutOthers(after), first, count);
  return groups.length === count ? groups : [];
}

function withoutOthers(lines: Line[]): Line[] {
  const others = new Set([
    ...findNextSteps(lines).map((step) => step.line),
    ...findDeadEnds(lines).flatMap((end) => end.lines),
    ...lines.filter((line) => readDecision(line) !== null),
  ]);
  return lines.filter(
    (line) => !others.has(line) && !isChatter(line.text) && !isOffer(line.text) && !isVerification(line.text),
  );
}

/** A new item, paragraph or "Second, …" opens a new one; what follows the last one in another paragraph is something else. */
function groupsOf(lines: Line[], announced: Line, count: number): Line[][] {
  const groups: Line[][] = [];
  const hasBlocks = new Set(lines.map((line) => line.block)).size >= count;
  for (const line of lines) {
    const last = groups.at(-1);
    const isNewBlock = last !== undefined && last[0]?.block !== line.block;
    const opens = last === undefined || (isNewBlock && hasBlocks) || (!isNewBlock && OPENS_ANOTHER.test(line.text));
    if (line.id !== announced.id || (opens && groups.length === count)) break;
    if (opens) groups.push([line]);
    else last.push(line);
  }
  return groups;
}
