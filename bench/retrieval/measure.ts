// What the sets have in common: ranks of the right answers, added up.

/** The place of the first right answer, from 1; infinite when there is none. */
export function firstRank<T>(ranked: T[], isRight: (item: T) => boolean): number {
  const at = ranked.findIndex(isRight);
  return at === -1 ? Number.POSITIVE_INFINITY : at + 1;
}

/** The share of the right answers among the first few. */
export function recall<T>(ranked: T[], right: Set<T>, among: number): number {
  let found = 0;
  for (const item of new Set(ranked.slice(0, among))) if (right.has(item)) found++;
  return found / right.size;
}

export const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

export type BenchSet<Result> = {
  name: string;
  /** Fills a bank and returns how to ask it; null when the data is not there. */
  load: (dataDir: string) => Promise<Loaded<Result> | null>;
};

export type Loaded<Result> = {
  bank: import('./bank.ts').Bank;
  ask: (finder: import('../../src/search/find.ts').Finder) => Promise<Result>;
};
