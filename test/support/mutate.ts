// Lines damaged in many ways, the same ways every time.

export type Random = () => number;

/** Mulberry32: small, and the same everywhere. */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function mutateLine(line: string, random: Random): string {
  const at = Math.floor(random() * line.length);
  const long = Math.floor(random() * 40);
  const ways: (() => string)[] = [
    () => line.slice(0, at),
    () => line.slice(0, at) + line.slice(at + long),
    () => line.slice(0, at) + '"{}[],:\\\u0000é😀0'.charAt(Math.floor(random() * 12)) + line.slice(at + 1),
    () => line.slice(0, at) + line.slice(at, at + long) + line.slice(at),
    () => line + line,
    () => '',
    () => withOtherType(line, random),
    () => withOtherType(line, random),
    () => withOtherType(line, random),
  ];
  return ways[Math.floor(random() * ways.length)]?.() ?? line;
}

const OTHERS: unknown[] = [null, 0, -1, 1e300, true, '', [], {}, [[[]]], ['x'], { type: {} }, 'null'];

/** Somewhere in it stands something else. */
function withOtherType(line: string, random: Random): string {
  let places = 0;
  const walk = (value: unknown, change: number): unknown => {
    if (places++ === change) return random() < 0.1 ? nested(5000) : OTHERS[Math.floor(random() * OTHERS.length)];
    if (Array.isArray(value)) return value.map((item) => walk(item, change));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, change)]));
  };
  const value: unknown = JSON.parse(line);
  walk(value, -1);
  const all = places;
  places = 0;
  return JSON.stringify(walk(value, Math.floor(random() * all)));
}

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { content: value };
  return value;
}

/** The words in all texts of a value. */
export function wordsIn(value: unknown): string[] {
  const words: string[] = [];
  // By hand: what is nested deeply must not end the test.
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') words.push(...(next.match(/\w{4,}/g) ?? []));
    else if (typeof next === 'object' && next !== null) for (const item of Object.values(next)) left.push(item);
  }
  return words;
}
