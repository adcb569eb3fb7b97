// How long something took, short enough for a table.
import { LOCALE } from '../../format.ts';

const fraction = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });

/** `0.4 ms`, `12 ms`, `1.4 s`, `3 min`, `2 h`. */
export function formatDuration(ms: number): string {
  if (ms < 10) return `${fraction.format(ms)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${fraction.format(ms / 1000)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${Math.round(ms / 3_600_000)} h`;
}
