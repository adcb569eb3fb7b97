// index.db: vectors made from memory.db. What is damaged or of another version is thrown away and made again.
import { Database } from 'bun:sqlite';
import { chmodSync, closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { isDamage, StoreError } from '../store/open.ts';
import { readAll, readFirst } from '../store/read.ts';

/** "cmix" in ASCII: marks a file as ours. */
const APPLICATION_ID = 0x636d6978;
/** Raised with every change below: an index of another version is made again. */
const VERSION = 1;

// A vector's key is its model, document and part in one number. The rowid is what makes a key cheap to look up: in a WITHOUT ROWID table
// the inner pages would hold whole vectors. Signs stand apart so that loading them reads an eighth of the file.
const SCHEMA = `
  CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL) STRICT;
  -- Every document from low to high has its vectors of this model, or had no text; what lies between two rows waits.
  CREATE TABLE covered (
    model INTEGER NOT NULL REFERENCES models (id) ON DELETE CASCADE,
    low INTEGER NOT NULL,
    high INTEGER NOT NULL,
    PRIMARY KEY (model, low)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE vectors (key INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
  CREATE TABLE signs (key INTEGER PRIMARY KEY, sign BLOB NOT NULL) STRICT;`;

const PRAGMAS = [
  'journal_mode = WAL',
  // A power cut may cost the last vectors, which are then made again; it must not cost a sync each.
  'synchronous = NORMAL',
  'foreign_keys = ON',
  'secure_delete = ON',
  'trusted_schema = OFF',
  'cache_size = -2000',
];

export function openIndex(path: string): Database {
  if (!isUsable(path)) removeIndex(path);
  try {
    return open(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    removeIndex(path);
    return open(path);
  }
}

/** Nothing may have it open. */
export function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}

/** Looks before SQLite does: opening a file of somebody else may already change it. */
function isUsable(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.size) return true;
  const header = Buffer.alloc(72);
  const file = openSync(path, 'r');
  readSync(file, header, 0, header.length, 0);
  closeSync(file);
  // What a power cut leaves of a file that was just made.
  if (header.every((byte) => byte === 0)) return false;
  const applicationId = header.readUInt32BE(68);
  if (header.toString('latin1', 0, 15) !== 'SQLite format 3') throw foreign(path);
  // Our id may still be in the log of a file whose first checkpoint never came.
  if (applicationId === 0) return true;
  if (applicationId !== APPLICATION_ID) throw foreign(path);
  return header.readUInt32BE(60) === VERSION;
}

/** Where this process has it open already: looking into the file by other means, as above, would drop the locks of that one. */
export const openBeside = (path: string): Database => open(path);

function open(path: string): Database {
  const db = new Database(path, { create: true, strict: true });
  try {
    chmodSync(path, 0o600);
    db.run('PRAGMA busy_timeout = 5000');
    const applicationId = readNumber(db, 'PRAGMA application_id');
    const isEmpty = readNumber(db, 'SELECT count(*) FROM sqlite_schema') === 0;
    if (applicationId !== APPLICATION_ID && !(applicationId === 0 && isEmpty)) throw foreign(path);
    for (const pragma of PRAGMAS) db.run(`PRAGMA ${pragma}`);
    db.transaction(() => {
      if (readNumber(db, 'PRAGMA user_version') === VERSION) return;
      db.run(SCHEMA);
      db.run(`PRAGMA application_id = ${APPLICATION_ID}`);
      db.run(`PRAGMA user_version = ${VERSION}`);
    }).immediate();
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

const foreign = (path: string) =>
  new StoreError(
    'foreign',
    `${path} is not an index of claude-mem. It was left as it is. Move it away, or set CLAUDE_MEM_DATA_DIR to another folder.`,
  );

const readNumber = (db: Database, sql: string, ...values: number[]): number => Number(db.query(sql).values(...values)[0]?.[0] ?? 0);

export type IndexModel = { id: number; name: string; dimension: number };

export const listIndexModels = (db: Database): IndexModel[] =>
  readAll<IndexModel>(db, 'SELECT id, name, dimension FROM models ORDER BY id');

/** Vectors of the same name but another dimension are of no use: their model is renamed, and so becomes one that nobody wants. */
export function ensureIndexModel(db: Database, name: string, dimension: number): IndexModel {
  return db
    .transaction(() => {
      db.query("UPDATE models SET name = name || ' replaced ' || id WHERE name = ?1 AND dimension <> ?2").run(name, dimension);
      db.query('INSERT OR IGNORE INTO models (name, dimension) VALUES (?1, ?2)').run(name, dimension);
      const model = readFirst<IndexModel>(db, 'SELECT id, name, dimension FROM models WHERE name = ?1', name);
      if (!model) throw new Error(`the index takes no vectors of ${name}`);
      return model;
    })
    .immediate();
}

/** Removes some of a model's vectors, and the model when none is left; true when it is gone. */
export function removeSomeOfModel(db: Database, { id }: IndexModel, limit: number): boolean {
  const remove = (table: string) =>
    db
      .query(`DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE key >= ? AND key < ? ORDER BY key LIMIT ? + 0)`)
      .run(...modelKeys(id), limit).changes;
  return db
    .transaction(() => {
      const isEmpty = remove('vectors') + remove('signs') === 0;
      if (isEmpty) db.query('DELETE FROM models WHERE id = ?').run(id);
      return isEmpty;
    })
    .immediate();
}

/** Document ids from low to high, both included. */
export type Interval = { low: number; high: number };

/** From the newest to the oldest; no two of them touch. */
export const listCovered = (db: Database, model: number): Interval[] =>
  readAll<Interval>(db, 'SELECT low, high FROM covered WHERE model = ?1 ORDER BY low DESC', model);

/** Adds an interval and joins it with those it touches. Inside a transaction of the caller's. */
export function addCovered(db: Database, model: number, added: Interval): void {
  const sql = 'DELETE FROM covered WHERE model = ? AND low <= ? + 1 AND high >= ? - 1 RETURNING low, high';
  const touched = readAll<Interval>(db, sql, model, added.high, added.low);
  const low = Math.min(added.low, ...touched.map((one) => one.low));
  const high = Math.max(added.high, ...touched.map((one) => one.high));
  db.query('INSERT INTO covered VALUES (?1, ?2, ?3)').run(model, low, high);
}

/** Parts of one document. */
export const MAX_PARTS = 8;
/** 2^41 documents: keys stay exact in a JavaScript number for 511 models. */
const MODEL_KEYS = 2 ** 44;

export const vectorKey = (model: number, document: number, part: number): number => model * MODEL_KEYS + document * MAX_PARTS + part;

export const documentOf = (key: number): number => Math.floor((key % MODEL_KEYS) / MAX_PARTS);

/** The keys of a model: from the first to before the second. */
const modelKeys = (model: number): [number, number] => [model * MODEL_KEYS, (model + 1) * MODEL_KEYS];

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
export function removeDocumentVectors(db: Database, documents: number[]): void {
  for (const { id } of listIndexModels(db)) {
    for (const first of documents.map((document) => vectorKey(id, document, 0))) {
      for (const table of ['vectors', 'signs'])
        db.query(`DELETE FROM ${table} WHERE key BETWEEN ?1 AND ?2`).run(first, first + MAX_PARTS - 1);
    }
  }
}

/** How many documents have a vector of this model. */
export const countVectorDocuments = (db: Database, model: number): number =>
  readNumber(db, `SELECT count(*) FROM signs WHERE key >= ?1 AND key < ?2 AND key % ${MAX_PARTS} = 0`, ...modelKeys(model));

/** The next of a model's rows after a key, in the order of keys. */
export function readSigns(db: Database, model: number, { after, limit }: { after: number; limit: number }): KeyedBytes[] {
  const [first, end] = modelKeys(model);
  const sql = 'SELECT key, sign FROM signs WHERE key > ?1 AND key < ?2 ORDER BY key LIMIT ?3 + 0';
  return db.query(sql).values(Math.max(after, first - 1), end, limit) as KeyedBytes[]; // The columns it selects.
}

/** Those that are there. */
export function readVectors(db: Database, keys: number[]): KeyedBytes[] {
  const sql = 'SELECT key, vector FROM vectors WHERE key IN (SELECT value FROM json_each(?1))';
  return db.query(sql).values(JSON.stringify(keys)) as KeyedBytes[]; // The columns it selects.
}

/** Every part of these documents that is there. */
export function readDocumentVectors(db: Database, model: number, documents: number[]): KeyedBytes[] {
  const sql = `
    SELECT vectors.key, vector FROM json_each(?1) AS wanted CROSS JOIN vectors
    WHERE vectors.key BETWEEN wanted.value AND wanted.value + ${MAX_PARTS - 1}`;
  const firsts = documents.map((document) => vectorKey(model, document, 0));
  return db.query(sql).values(JSON.stringify(firsts)) as KeyedBytes[]; // The columns it selects.
}
