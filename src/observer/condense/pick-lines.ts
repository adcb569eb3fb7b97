// Chooses the lines of a long text that fit: its beginning, its end, and between them the most telling ones.
import type { Line } from './lines.ts';

/** Higher is more telling; below 0 is dull: only a few of those at the ends. Of one group the first are preferred, so that none crowds out. */
export type RankedLine = Line & { rank: number; group?: string | number };

export type Room = {
  maxChars: number;
  /** Shares of the room for the beginning and the end, whatever stands there. */
  head: number;
  tail: number;
  /** How a gap is shown. */
  gap?: 'counted' | 'dots';
};

/** At most maxChars, the lines in their order, what is left out counted. */
export function pickLines(lines: RankedLine[], room: Room): string {
  const gap = room.gap ?? 'counted';
  const whole = lines.reduce((sum, { text }) => sum + text.length + 1, -1);
  if (whole <= room.maxChars) return render(lines, () => true, gap);
  if (room.maxChars < 3 * GAP_COST[gap]) return '';
  const choice = createChoice(lines, room.maxChars + 1, GAP_COST[gap]);
  takeEnds(choice, lines, room);
  for (const at of byRank(lines)) choice.take(at);
  fillEnds(choice, lines, room);
  closeSmallGaps(choice, lines, GAP_COST[gap]);
  return render(lines, choice.has, gap);
}

const GAP_COST = { counted: 36, dots: 2 };

type Choice = { take: (at: number, limit?: number) => boolean; has: (at: number) => boolean; spent: () => number };

/** Counts exactly what is spent: a line costs its length, and every gap that it opens a notice. */
function createChoice(lines: RankedLine[], max: number, gapCost: number): Choice {
  const taken = new Uint8Array(lines.length);
  let spent = gapCost;
  const has = (at: number) => at < 0 || at >= lines.length || taken[at] === 1;
  return {
    has,
    spent: () => spent,
    take(at, limit = max) {
      if (has(at)) return true;
      const newGaps = (has(at - 1) ? 0 : 1) + (has(at + 1) ? 0 : 1) - 1;
      const cost = (lines[at]?.text.length ?? 0) + 1 + newGaps * gapCost;
      if (spent + cost > Math.min(limit, max)) return false;
      spent += cost;
      taken[at] = 1;
      return true;
    },
  };
}

/** From both ends inwards, each until its share is used up or it gets dull. */
function takeEnds(choice: Choice, lines: RankedLine[], { maxChars, head, tail }: Room): void {
  const headEnd = choice.spent() + maxChars * head;
  takeFrom(0, 1, lines, (at) => choice.take(at, headEnd));
  const tailEnd = choice.spent() + maxChars * tail;
  takeFrom(lines.length - 1, -1, lines, (at) => choice.take(at, tailEnd));
}

/** As many dull lines as show what they are. */
const DULL_SHOWN = 4;

function takeFrom(start: number, step: 1 | -1, lines: RankedLine[], take: (at: number) => boolean): void {
  let dull = 0;
  for (let at = start; at >= 0 && at < lines.length; at += step) {
    if ((lines[at]?.rank ?? 0) < 0 && ++dull > DULL_SHOWN) return;
    if (!take(at)) return;
  }
}

/** The telling ones: by rank, then by how many of their group stand before them, then in order. */
function byRank(lines: RankedLine[]): number[] {
  const seen = new Map<string | number, number>();
  const found: { at: number; rank: number; ordinal: number }[] = [];
  lines.forEach(({ rank, group, line }, at) => {
    if (rank <= 0) return;
    const key = `${rank} ${group ?? line}`;
    const ordinal = group === undefined ? 0 : (seen.get(key) ?? 0);
    seen.set(key, ordinal + 1);
    found.push({ at, rank, ordinal });
  });
  return found.sort((a, b) => b.rank - a.rank || a.ordinal - b.ordinal || a.at - b.at).map(({ at }) => at);
}

/** What room is left goes to the end first: there stands how it went. An end without a share gets nothing. */
function fillEnds(choice: Choice, lines: RankedLine[], { head, tail }: Room): void {
  if (tail > 0) takeFrom(lines.length - 1, -1, lines, choice.take);
  if (head > 0) takeFrom(0, 1, lines, choice.take);
}

/** A notice longer than what it stands for is replaced by it. */
function closeSmallGaps(choice: Choice, lines: RankedLine[], gapCost: number): void {
  for (let at = 0; at < lines.length; at++) {
    const isAlone = !choice.has(at) && choice.has(at - 1) && choice.has(at + 1);
    if (isAlone && (lines[at]?.text.length ?? 0) + 1 <= gapCost) choice.take(at);
  }
}

function render(lines: RankedLine[], has: (at: number) => boolean, gap: 'counted' | 'dots'): string {
  let text = '';
  let last = -1;
  const add = (part: string, joins: boolean) => {
    text += text === '' || joins ? part : `\n${part}`;
  };
  for (let at = 0; at <= lines.length; at++) {
    if (at < lines.length && !has(at)) continue;
    if (at - last > 1) add(gap === 'dots' ? '…' : notice(lines, last + 1, at), false);
    const here = lines[at];
    if (here) add(here.text, at - last === 1 && lines[last]?.line === here.line);
    last = at;
  }
  return text;
}

/** Lines are counted when whole lines are missing, characters when it is a part of one or the lines are very long. */
function notice(lines: RankedLine[], from: number, to: number): string {
  const first = lines[from]?.line ?? 0;
  const count = (lines[to - 1]?.line ?? 0) - first + 1;
  const isPart = count === 1 && (lines[from - 1]?.line === first || lines[to]?.line === first);
  const chars = lines.slice(from, to).reduce((sum, { text }) => sum + text.length, 0);
  if (isPart || chars > LONG_LINE * count) return `… ${chars} characters left out …`;
  return `… ${count} ${count === 1 ? 'line' : 'lines'} left out …`;
}

const LONG_LINE = 1000;
