// The tables models and covered in index.db: which models have vectors, and of which documents.
import type { Database } from 'bun:sqlite';

export type IndexModel = { id: number; name: string; dimension: number };

/** Document ids from low to high, both included. */
export type Interval = { low: number; high: number };

export function listIndexModels(db: Database): IndexModel[] {
  return db.query<IndexModel, []>('SELECT id, name, dimension FROM models ORDER BY id').all();
}

/** Vectors of the same name but another dimension are of no use: their model is renamed, and so becomes one that nobody wants. */
export function ensureIndexModel(db: Database, name: string, dimension: number): IndexModel {
  return db
    .transaction(() => {
      db.query("UPDATE models SET name = name || ' replaced ' || id WHERE name = ?1 AND dimension <> ?2").run(
        name,
        dimension,
      );
      db.query('INSERT OR IGNORE INTO models (name, dimension) VALUES (?1, ?2)').run(name, dimension);
      const model = db.query<IndexModel, [string]>('SELECT id, name, dimension FROM models WHERE name = ?1').get(name);
      if (!model) throw new Error(`the index takes no vectors of ${name}`);
      return model;
    })
    .immediate();
}

/** Its vectors must be gone. */
export function removeIndexModel(db: Database, id: number): void {
  db.query('DELETE FROM models WHERE id = ?1').run(id);
}

/** From the newest to the oldest; no two of them touch. */
export function listCovered(db: Database, model: number): Interval[] {
  return db.query<Interval, [number]>('SELECT low, high FROM covered WHERE model = ?1 ORDER BY low DESC').all(model);
}

/** Adds an interval and joins it with those it touches. Inside a transaction of the caller's. */
export function addCovered(db: Database, model: number, added: Interval): void {
  const joined = db
    .query<{ low: number | null; high: number | null }, [number, number, number]>(
      'SELECT min(low) AS low, max(high) AS high FROM covered WHERE model = ?1 AND low <= ?3 + 1 AND high >= ?2 - 1',
    )
    .get(model, added.low, added.high);
  const low = Math.min(added.low, joined?.low ?? added.low);
  const high = Math.max(added.high, joined?.high ?? added.high);
  db.query('DELETE FROM covered WHERE model = ?1 AND low >= ?2 AND high <= ?3').run(model, low, high);
  db.query('INSERT INTO covered VALUES (?1, ?2, ?3)').run(model, low, high);
}

export function clearCovered(db: Database): void {
  db.run('DELETE FROM covered');
}
