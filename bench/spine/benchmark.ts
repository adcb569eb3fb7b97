// What a benchmark is, what it is given, and the figures it brings back.
import type { BenchHome } from './bench-home.ts';
import type { BuiltPlugin } from './built-plugin.ts';

export type Benchmark = { name: string; about: string; run: (deps: BenchDeps) => Promise<Figure[]> };

export type BenchDeps = {
  built: BuiltPlugin;
  /** A temporary HOME with a data dir of its own; ended and deleted when the benchmark is over, however it ends. */
  makeHome: () => BenchHome;
  /** The folder with benchmark data; it may not be there. */
  data: string;
  /** Fewer rounds: to see that it works, not to believe the figures. */
  isQuick: boolean;
  /** A million observations as well: minutes more. */
  isLarge: boolean;
  /** Progress, for whoever waits. */
  say: (line: string) => void;
};

export type Figure = {
  what: string;
  /** For people, with its unit. */
  figure: string;
  ratio: { value: number; to: string } | null;
  /** Null when the figure is there for information only. */
  goal: { text: string; isReached: boolean } | null;
  /** The bare numbers, for --json. */
  values: Record<string, number>;
};

/** What was measured is not what was meant to be measured: the figure would be worth nothing. */
export class CheckError extends Error {
  override name = 'CheckError';
}

export function check(isTrue: boolean, otherwise: string): asserts isTrue {
  if (!isTrue) throw new CheckError(otherwise);
}

export const atMost = (value: number, limit: number, unit: string): Figure['goal'] => ({
  text: `<= ${limit}${unit}`,
  isReached: value <= limit,
});

export const atLeast = (value: number, limit: number, unit: string): Figure['goal'] => ({
  text: `>= ${limit}${unit}`,
  isReached: value >= limit,
});
