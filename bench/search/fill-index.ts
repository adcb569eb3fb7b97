// An index.db with so many vectors of one model, one for each document, written by the store's own functions.
import { ensureIndexModel, openIndex, putVectors, type StoredVector } from '../../src/search/index-db.ts';
import { createVectorSource } from './synthetic-vectors.ts';

export const DIMENSION = 384;
export const MODEL = 'bench';
const BATCH = 5000;
const DOCUMENTS_PER_TOPIC = 60;

export const createBenchVectors = (documents: number, seed: number) =>
  createVectorSource({
    dimension: DIMENSION,
    topics: Math.min(3000, Math.ceil(documents / DOCUMENTS_PER_TOPIC)),
    seed,
  });

export function fillIndex(path: string, documents: number): void {
  const db = openIndex(path);
  const model = ensureIndexModel(db, MODEL, DIMENSION);
  const source = createBenchVectors(documents, 1);
  for (let first = 1; first <= documents; first += BATCH) {
    const count = Math.min(BATCH, documents + 1 - first);
    const vectors = Array.from({ length: count }, (_, i): StoredVector => ({ document: first + i, part: 0, vector: source.document() }));
    db.transaction(() => putVectors(db, model.id, vectors)).immediate();
  }
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close(true);
}
