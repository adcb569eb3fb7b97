// Documents that a test puts in and takes out, and an embedder whose vectors say which text they were made of.
import type { Embedder } from '../../src/search/embed/embedder.ts';
import type { DocumentSource } from '../../src/search/index-batch.ts';

export function createFakeDocuments() {
  const texts = new Map<number, string>();
  const dropped = new Set<number>();
  let last = 0;
  const source: DocumentSource = {
    before: (id, limit) =>
      [...texts.keys()]
        .filter((one) => one < id)
        .sort((a, b) => b - a)
        .slice(0, limit),
    texts: (ids) => ids.flatMap((id) => (texts.has(id) ? [{ id, text: texts.get(id) ?? '' }] : [])),
    count: () => texts.size,
    countBetween: ({ low, high }) => [...texts.keys()].filter((id) => id >= low && id <= high).length,
    dropped: () => [...dropped].slice(0, 7),
    clearDropped: (ids) => {
      for (const id of ids) dropped.delete(id);
    },
  };
  return {
    source,
    texts,
    write(text = `document number ${last + 1}`) {
      texts.set(++last, text);
      return last;
    },
    drop(id: number) {
      if (texts.delete(id)) dropped.add(id);
    },
    droppedLeft: () => dropped.size,
  };
}

/** A direction for each text, the same each time. */
export function vectorOf(text: string, dimension: number): Int8Array {
  let state = Bun.hash.crc32(text) | 1;
  const vector = Int8Array.from({ length: dimension }, () => {
    state = Math.imul(state ^ (state >>> 13), 0x5bd1e995) + 0x6d2b79f5;
    return (state >>> 24) - 128;
  });
  vector[0] = 127;
  return vector;
}

export type FakeEmbedder = Embedder & {
  /** Every text it was given, in order. */
  seen: string[];
  calls: number[];
  /** Awaited before each answer; a test makes it wait or fail. */
  before: (texts: string[]) => Promise<void>;
};

export function createFakeEmbedder(id: string, dimension = 384): FakeEmbedder {
  const fake: FakeEmbedder = {
    id,
    dimension,
    seen: [],
    calls: [],
    before: async () => undefined,
    async embed(texts) {
      fake.calls.push(texts.length);
      await fake.before(texts);
      fake.seen.push(...texts);
      return texts.map((text) => vectorOf(text, dimension));
    },
    close: async () => undefined,
  };
  return fake;
}
