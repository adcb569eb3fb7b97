// Chance that is the same for the same seed, and words to make code and logs of.

export type Random = {
  /** From `from` to `to`, both included. */
  int: (from: number, to: number) => number;
  pick: <T>(list: readonly T[]) => T;
  chance: (probability: number) => boolean;
  shuffle: <T>(list: readonly T[]) => T[];
  /** A verb and nouns in camel case. */
  name: () => string;
  noun: () => string;
  /** Digits and letters that stand nowhere else in the session. */
  mark: () => string;
  hex: (length: number) => string;
};

const VERBS = 'load save merge apply count parse render fetch build check split find sort group trim drop send read'.split(' ');
const NOUNS =
  'order cart invoice ledger queue batch token route plan budget window ticket stock parcel rate quota badge branch shelf region tariff voucher vendor depot lane pallet refund coupon meter'.split(
    ' ',
  );

export function createRandom(seed: number): Random {
  let state = (seed * 2654435761 + 12345) >>> 0;
  let marks = 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const int = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  const pick = <T>(list: readonly T[]): T => list[int(0, list.length - 1)] as T;
  const noun = () => pick(NOUNS);
  const upper = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  return {
    int,
    pick,
    noun,
    chance: (probability) => next() < probability,
    shuffle: (list) =>
      list
        .map((item) => ({ item, key: next() }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item),
    name: () => pick(VERBS) + upper(noun()) + upper(noun()),
    mark: () => `${upper(noun())}${upper(noun())}${++marks}x${int(1000, 9999)}`,
    hex: (length) => Array.from({ length }, () => int(0, 15).toString(16)).join(''),
  };
}

/** Lines of `make` until they have `size` characters together. */
export function linesOf(size: number, make: (at: number) => string): string[] {
  const lines: string[] = [];
  for (let length = 0; length < size; ) {
    const line = make(lines.length);
    lines.push(line);
    length += line.length + 1;
  }
  return lines;
}

/** The block put among the lines, anywhere from `from` to `to` of their length. */
export function plant(random: Random, lines: string[], block: string[], [from, to]: [number, number]): string[] {
  const at = random.int(Math.floor(lines.length * from), Math.floor(lines.length * to));
  return [...lines.slice(0, at), ...block, ...lines.slice(at)];
}
