// An index.db of its own for one test, filled through the store, with what a search of it must find by plain arithmetic.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cosine } from '../../../bench/search/synthetic-vectors.ts';
import { ensureIndexModel, openIndex, putVectors, removeDocumentVectors, type StoredVector } from '../../../src/search/index-db.ts';
import { createVectorIndex } from '../../../src/search/vector-index.ts';

export function createTestIndex(dimension: number) {
  const folder = mkdtempSync(join(tmpdir(), 'cmem-vectors-'));
  const db = openIndex(join(folder, 'index.db'));
  const model = ensureIndexModel(db, 'test', dimension);
  const index = createVectorIndex(db, model);
  const known = new Map<number, Int8Array[]>();
  return {
    index,
    db,
    known,
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
