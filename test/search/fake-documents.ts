// Documents that a test puts in and takes out, and an embedder whose vectors say which text they were made of.
import type { Database } from 'bun:sqlite';
import { hideMemory } from '../../src/memory/hide.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { listDropped } from '../../src/store/documents.ts';
import { openShelf } from '../support/memories.ts';

/** Prompts of one session, in an empty memory.db: their ids are those of their documents. */
export function createDocuments(memory: Database) {
  const { ask } = openShelf(memory, '/home/dev/shop', 'one');
  let last = 0;
  return {
    memory,
    write(text = `document number ${last + 1}`) {
      ask(text, ++last);
      return last;
    },
    writeMany(count: number) {
      memory.transaction(() => {
        for (let i = 0; i < count; i++) this.write();
      })();
    },
    drop: (id: number) => hideMemory(memory, { kind: 'prompt', id }, 1),
    droppedLeft: () => listDropped(memory).length,
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
