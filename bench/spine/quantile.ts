// Quantiles of measured values.

/** The smallest value that at least this share of the values does not exceed. */
export function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below, above] = [sorted[middle - 1], sorted[middle]];
  if (above === undefined) return Number.NaN;
  return sorted.length % 2 === 1 || below === undefined ? above : (below + above) / 2;
}

export const formatMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
