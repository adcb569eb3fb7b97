// Days as the clock on the wall counts them: from midnight to midnight where the reader is.

export const DAY_MS = 86_400_000;

/** Of the last days, oldest first and today last; one more than there are days, the end of the last. */
export function startsOfDays(now: number, days: number): number[] {
  const today = new Date(now);
  return Array.from({ length: days + 1 }, (_, at) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - days + 1 + at).getTime(),
  );
}

/** `first`: which of the days it begins with. */
export type DaySpan = { first: number; start: number; end: number };

/** Days one after the other with 24 hours each, so that a division tells the day. One that has more or fewer stands alone. */
export function spansOfDays(starts: number[]): DaySpan[] {
  const spans: DaySpan[] = [];
  for (const [first, start] of starts.slice(0, -1).entries()) {
    const end = starts[first + 1] ?? start;
    const last = spans.at(-1);
    const isWhole = end - start === DAY_MS;
    if (last && isWhole && (last.end - last.start) % DAY_MS === 0) last.end = end;
    else spans.push({ first, start, end });
  }
  return spans;
}
