// An index.db for a filled memory.db: a vector for each document, made of its headline by the static table, whatever the model's name.
import { Database } from 'bun:sqlite';
import { loadStatic } from '../../src/search/embed/static.ts';
import { addCovered, ensureIndexModel, openIndex, putVectors, type StoredVector } from '../../src/search/index-db.ts';

export type VectorsToFill = {
  memory: string;
  index: string;
  /** dist/embed */
  assets: string;
  /** Names of embedders: each gets the same vectors. MiniLM itself would take hours, and no search is faster for it. */
  models: string[];
};

const BATCH = 5000;

/** Returns how many documents there are. */
export async function fillVectors({ memory, index, assets, models }: VectorsToFill): Promise<number> {
  const embedder = loadStatic(assets);
  const db = openIndex(index);
  db.run('PRAGMA synchronous = OFF');
  const source = new Database(memory, { readonly: true });
  const ids = models.map((name) => ensureIndexModel(db, name, embedder.dimension).id);
  const next = source.query<{ id: number; headline: string }, [number]>(
    `SELECT id, headline FROM documents WHERE id > ? ORDER BY id LIMIT ${BATCH}`,
  );
  let [last, count] = [0, 0];
  for (let rows = next.all(0); rows.length > 0; rows = next.all(last)) {
    const made = await embedder.embed(
      rows.map(({ headline }) => headline),
      'document',
    );
    const vectors = made.map((vector, at): StoredVector => ({ document: rows[at]?.id ?? 0, part: 0, vector }));
    db.transaction(() => {
      for (const id of ids) putVectors(db, id, vectors);
    }).immediate();
    [last, count] = [rows.at(-1)?.id ?? last, count + rows.length];
  }
  for (const id of ids) addCovered(db, id, { low: 1, high: last });
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close(true);
  source.close();
  return count;
}
