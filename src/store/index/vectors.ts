// The tables vectors and signs in index.db: int8 vectors by key, and apart from them the sign of each component.
import type { Database } from 'bun:sqlite';
import { documentOf, MAX_PARTS, modelKeys, vectorKey } from './vector-keys.ts';

export type StoredVector = { document: number; part: number; vector: Int8Array };
/** A key with its bytes: an int8 vector, or its signs. */
export type KeyedBytes = [key: number, bytes: Uint8Array];

/** Inside a transaction of the caller's. A vector that is there already is replaced. */
export function putVectors(db: Database, model: number, vectors: StoredVector[]): void {
  const vectorRow = db.query('INSERT OR REPLACE INTO vectors VALUES (?1, ?2)');
  const signRow = db.query('INSERT OR REPLACE INTO signs VALUES (?1, ?2)');
  for (const { document, part, vector } of vectors) {
    const key = vectorKey(model, document, part);
    vectorRow.run(key, new Uint8Array(vector.buffer, vector.byteOffset, vector.length));
    signRow.run(key, packSigns(vector));
  }
}

/** A bit for each component, set where it is above 0; the first in the lowest bit. */
export function packSigns(vector: Int8Array): Uint8Array {
  const signs = new Uint8Array(Math.ceil(vector.length / 8));
  for (let i = 0; i < vector.length; i++) {
    if ((vector[i] ?? 0) > 0) signs[i >> 3] = (signs[i >> 3] ?? 0) | (1 << (i & 7));
  }
  return signs;
}

/** Of every model. Inside a transaction of the caller's. */
export function removeDocumentVectors(db: Database, models: number[], documents: number[]): void {
  for (const table of ['vectors', 'signs'] as const) {
    const remove = db.query(`DELETE FROM ${table} WHERE key BETWEEN ?1 AND ?2`);
    for (const model of models) {
      for (const document of documents) {
        const first = vectorKey(model, document, 0);
        remove.run(first, first + MAX_PARTS - 1);
      }
    }
  }
}

/** Some of a model's vectors; false when none was left. */
export function removeSomeVectors(db: Database, model: number, limit: number): boolean {
  const [first, end] = modelKeys(model);
  const last = db
    .query<{ key: number }, [number, number, number]>(
      'SELECT key FROM signs WHERE key >= ?1 AND key < ?2 ORDER BY key LIMIT ?3',
    )
    .all(first, end, limit)
    .at(-1)?.key;
  if (last === undefined) return false;
  db.transaction(() => {
    for (const table of ['vectors', 'signs']) db.run(`DELETE FROM ${table} WHERE key BETWEEN ${first} AND ${last}`);
  }).immediate();
  return true;
}

export function countVectors(db: Database, model: number): number {
  return (
    db
      .query<{ n: number }, [number, number]>('SELECT count(*) AS n FROM signs WHERE key >= ?1 AND key < ?2')
      .get(...modelKeys(model))?.n ?? 0
  );
}

/** 0 when there is none. */
export function largestVectorDocument(db: Database, model: number): number {
  const sql = 'SELECT max(key) AS key FROM signs WHERE key >= ?1 AND key < ?2';
  const largest = db.query<{ key: number | null }, [number, number]>(sql).get(...modelKeys(model));
  return documentOf(largest?.key ?? 0);
}

/** How many documents have a vector of this model. */
export function countVectorDocuments(db: Database, model: number): number {
  return (
    db
      .query<{ n: number }, [number, number]>(
        `SELECT count(*) AS n FROM signs WHERE key >= ?1 AND key < ?2 AND key % ${MAX_PARTS} = 0`,
      )
      .get(...modelKeys(model))?.n ?? 0
  );
}

/** The next of a model's rows after a key, in the order of keys. */
export function readSomeBytes(
  db: Database,
  table: 'vectors' | 'signs',
  range: { model: number; after: number; limit: number },
): KeyedBytes[] {
  const [first, end] = modelKeys(range.model);
  const column = table === 'vectors' ? 'vector' : 'sign';
  const sql = `SELECT key, ${column} FROM ${table} WHERE key > ?1 AND key < ?2 ORDER BY key LIMIT ?3`;
  return db.query(sql).values(Math.max(range.after, first - 1), end, range.limit) as KeyedBytes[]; // The columns it selects.
}

/** Those that are there, in the order of keys. */
export function readVectors(db: Database, keys: number[]): KeyedBytes[] {
  const sql = 'SELECT key, vector FROM vectors WHERE key IN (SELECT value FROM json_each(?1)) ORDER BY key';
  return db.query(sql).values(JSON.stringify(keys)) as KeyedBytes[]; // The columns it selects.
}

/** Every part of these documents that is there, the parts of one document together. */
export function readDocumentVectors(db: Database, model: number, documents: number[]): KeyedBytes[] {
  const sql = `
    SELECT vectors.key, vector FROM json_each(?1) AS wanted CROSS JOIN vectors
    WHERE vectors.key BETWEEN wanted.value AND wanted.value + ${MAX_PARTS - 1}`;
  const firsts = documents.map((document) => vectorKey(model, document, 0));
  return db.query(sql).values(JSON.stringify(firsts)) as KeyedBytes[]; // The columns it selects.
}
