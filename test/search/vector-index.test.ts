import { afterEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cosine, createVectorSource } from '../../bench/search/synthetic-vectors.ts';
import { ensureIndexModel, openIndex, putVectors, removeDocumentVectors, type StoredVector } from '../../src/search/index-db.ts';
import { acceptDocuments, createVectorIndex } from '../../src/search/vector-index.ts';

/** An index.db of its own, filled through the store, with what a search of it must find by plain arithmetic. */
function createTestIndex(dimension: number) {
  const folder = mkdtempSync(join(tmpdir(), 'cmem-vectors-'));
  const db = openIndex(join(folder, 'index.db'));
  const model = ensureIndexModel(db, 'test', dimension);
  const index = createVectorIndex(db, model);
  const known = new Map<number, Int8Array[]>();
  return {
    index,
    put(vectors: StoredVector[]) {
      db.transaction(() => putVectors(db, model.id, vectors))();
      index.add(vectors);
      for (const { document } of vectors) known.set(document, []);
      for (const { document, vector } of vectors) known.get(document)?.push(vector);
    },
    remove(document: number) {
      db.transaction(() => removeDocumentVectors(db, [document]))();
      index.remove([document]);
      known.delete(document);
    },
    /** What plain arithmetic finds. */
    expected(query: Int8Array, limit: number, isWanted = (_: number) => true) {
      return [...known]
        .filter(([document]) => isWanted(document))
        .map(([document, parts]) => ({ document, score: Math.max(...parts.map((part) => cosine(query, part))) }))
        .filter(({ score }) => score > 0)
        .sort((one, other) => other.score - one.score || one.document - other.document)
        .slice(0, limit);
    },
    close() {
      db.close(true);
      rmSync(folder, { recursive: true });
    },
  };
}

let current: ReturnType<typeof createTestIndex> | null = null;
const create = (dimension: number) => {
  current = createTestIndex(dimension);
  return current;
};
afterEach(() => {
  current?.close();
  current = null;
});

function expectSame(found: { document: number; score: number }[], expected: { document: number; score: number }[]): void {
  expect(found.map(({ document }) => document)).toEqual(expected.map(({ document }) => document));
  for (const [i, { score }] of found.entries()) expect(score).toBeCloseTo(expected[i]?.score ?? -1, 5);
}

// Up to 400 rows every one is compared in full.
describe('an index', () => {
  test.each([384, 768, 100, 1536])('finds what plain arithmetic finds, in %d dimensions', async (dimension) => {
    const { index, put, expected } = create(dimension);
    const source = createVectorSource({ dimension, topics: 8 });
    put(Array.from({ length: 300 }, (_, i) => ({ document: i * 3 + 1, part: 0, vector: source.document() })));
    for (let round = 0; round < 20; round++) {
      const query = source.query();
      expectSame(await index.search(query, { limit: 25 }), expected(query, 25));
    }
  });

  test('counts a document once, by its best part', async () => {
    const { index, put, expected } = create(384);
    const source = createVectorSource({ dimension: 384, topics: 4 });
    for (let document = 1; document <= 80; document++) {
      put(Array.from({ length: (document % 8) + 1 }, (_, part) => ({ document, part, vector: source.document() })));
    }
    const query = source.query();
    expectSame(await index.search(query, { limit: 80 }), expected(query, 80));
  });

  test('applies a filter before it chooses the best', async () => {
    const { index, put, expected } = create(384);
    const source = createVectorSource({ dimension: 384, topics: 5 });
    put(Array.from({ length: 3000 }, (_, i) => ({ document: i + 1, part: 0, vector: source.document() })));
    const mine = Array.from({ length: 50 }, (_, i) => 37 + i * 59);
    const query = source.query();
    const accept = acceptDocuments(mine.toReversed());
    const wanted = expected(query, 10, (document) => mine.includes(document));
    expect(wanted).toHaveLength(10);
    expectSame(await index.search(query, { limit: 10, accept }), wanted);
    expect(await index.search(query, { limit: 10, accept: acceptDocuments([]) })).toEqual([]);
    expect(await index.search(query, { limit: 10, accept: acceptDocuments([4_000_000]) })).toEqual([]);
  });

  test('follows what is added, replaced and removed, loaded or not', async () => {
    const { index, put, remove, expected } = create(384);
    const source = createVectorSource({ dimension: 384, topics: 3 });
    const some = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => ({ document: from + i, part: 0, vector: source.document() }));
    const query = source.query();
    const agrees = async () => expectSame(await index.search(query, { limit: 50 }), expected(query, 50));
    put(some(100, 200));
    await agrees();
    put(some(200, 230));
    put(some(50, 60));
    await agrees();
    for (const document of [100, 150, 229, 55, 59]) remove(document);
    await agrees();
    put([...some(150, 151), { document: 150, part: 1, vector: source.document() }]);
    put(some(229, 230));
    put(some(229, 230));
    await agrees();
    remove(229);
    remove(150);
    remove(4711);
    await agrees();
    index.release();
    remove(101);
    await agrees();
  });

  test('takes up what happens while it is loaded', async () => {
    const { index, put, remove, expected } = create(384);
    const source = createVectorSource({ dimension: 384, topics: 3 });
    const make = (document: number) => ({ document, part: 0, vector: source.document() });
    put(Array.from({ length: 9000 }, (_, i) => make(i + 1)));
    const query = source.query();
    const searching = index.search(query, { limit: 10 });
    put([make(9001)]);
    remove(1);
    put([make(2)]);
    await searching;
    const wanted = expected(query, 5, (document) => [1, 2, 9001].includes(document));
    expectSame(await index.search(query, { limit: 5, accept: acceptDocuments([1, 2, 9001]) }), wanted);
  });

  test('scores given documents without being loaded', () => {
    const { index, put, expected } = create(384);
    const source = createVectorSource({ dimension: 384, topics: 3 });
    for (let document = 1; document <= 1200; document++) {
      put([0, 1].map((part) => ({ document, part, vector: source.document() })));
    }
    const query = source.query();
    const scores = index.scores(query, [7, 9000, 3, 5, ...Array.from({ length: 1100 }, (_, i) => i + 10)]);
    for (const { document, score } of expected(query, 2000, (one) => one === 7 || one === 3 || (one >= 10 && one < 1110)))
      expect(scores.get(document)).toBeCloseTo(score, 5);
    expect(scores.has(9000)).toBe(false);
  });

  test('finds nothing for a text without a word, and never a document without one', async () => {
    const { index, put } = create(384);
    const source = createVectorSource({ dimension: 384, topics: 1 });
    put([{ document: 1, part: 0, vector: new Int8Array(384) }]);
    expect(await index.search(source.query(), { limit: 5 })).toEqual([]);
    expect(await index.search(new Int8Array(384), { limit: 5 })).toEqual([]);
    expect([...index.scores(source.query(), [1])]).toEqual([]);
  });
});

describe('the signs of a large index', () => {
  test.each([
    [384, 8000],
    [768, 3000],
  ])('lead to nearly all of the ten best in %d dimensions', async (dimension, count) => {
    const { index, put, expected } = create(dimension);
    const source = createVectorSource({ dimension, topics: count / 60, seed: 7 });
    put(Array.from({ length: count }, (_, i) => ({ document: i + 1, part: 0, vector: source.document() })));
    let hits = 0;
    for (let round = 0; round < 20; round++) {
      const query = source.query();
      const best = new Set(expected(query, 10).map(({ document }) => document));
      hits += (await index.search(query, { limit: 10 })).filter(({ document }) => best.has(document)).length;
    }
    expect(hits / 200).toBeGreaterThanOrEqual(0.97);
  });
});
