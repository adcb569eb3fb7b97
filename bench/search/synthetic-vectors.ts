// Vectors as an embedder makes them: around topics, each a direction with its largest component at ±127.

export type VectorSource = { document: () => Int8Array; query: () => Int8Array };

const NOISE = 65_536;

/** The same for the same seed. A query lies near a topic, like a document about it. */
export function createVectorSource(options: { dimension: number; topics: number; seed?: number }): VectorSource {
  const random = createRandom(options.seed ?? 1);
  const topics = Array.from({ length: options.topics }, () => direction(options.dimension, () => normal(random)));
  // Chance for every component of a million vectors would take longer than all that is measured with them.
  const noise = Float32Array.from({ length: NOISE }, () => normal(random) / Math.sqrt(options.dimension));
  const around = () => {
    const topic = topics[Math.floor(random() * topics.length)] ?? new Float32Array(options.dimension);
    const spread = 0.6 + random();
    const [start, step] = [Math.floor(random() * NOISE), 2 * Math.floor(random() * 1000) + 1];
    return toInt8(topic.map((value, i) => value + spread * (noise[(start + i * step) % NOISE] ?? 0)));
  };
  return { document: around, query: around };
}

/** Of the exact arithmetic, in plain JavaScript: what the index is compared with. */
export function cosine(a: Int8Array, b: Int8Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa * bb === 0 ? 0 : Math.max(0, dot / Math.sqrt(aa * bb));
}

function direction(dimension: number, component: () => number): Float32Array {
  const values = Float32Array.from({ length: dimension }, component);
  const length = Math.hypot(...values);
  return values.map((value) => value / length);
}

function toInt8(values: Float32Array): Int8Array {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  return Int8Array.from(values, (value) => Math.round((value / largest) * 127));
}

/** Enough like a normal distribution for this. */
const normal = (random: () => number): number => (random() + random() + random() - 1.5) * 2;

/** Mulberry32. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
