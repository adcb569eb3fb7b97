// Chance that can be repeated: the same seed gives the same cases.

export type SeededRandom = {
  below: (limit: number) => number;
  of: <T>(items: readonly T[]) => T;
  pick: (alphabet: string, length: number) => string;
};

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  // mulberry32
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    // Never called with an empty list, so there is always an item.
    of: <T>(items: readonly T[]): T => items[below(items.length)] as T,
    pick: (alphabet, length) => Array.from({ length }, () => alphabet.charAt(below(alphabet.length))).join(''),
  };
}
