// A memory of its own for one test, searched as the product does it: words from the store, vectors made on demand.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { createFinder } from '../../src/search/find.ts';
import { ensureIndexModel, openIndex, putVectors } from '../../src/search/index-db.ts';
import type { SearchableModel } from '../../src/search/indexer.ts';
import { splitDocument } from '../../src/search/pieces.ts';
import { searchMemories } from '../../src/search/search.ts';
import { createVectorIndex } from '../../src/search/vector-index.ts';
import { listDocumentIdsBefore, listDocumentTexts } from '../../src/store/documents.ts';
import { openShelf } from '../support/memories.ts';
import { createTestStore } from '../support/store.ts';

export const DAY = 86_400_000;
/** Local noon of a Wednesday. */
export const NOW = new Date(2026, 2, 18, 12).getTime();

export type TestModel = SearchableModel & {
  /** Makes the vectors of these documents, or of all that have none yet. */
  embed: (documents?: number[]) => Promise<void>;
};

type Search = Parameters<typeof searchMemories>[1];
export type TestMemory = ReturnType<typeof createTestMemory>;

/** Searched by words alone until it has a model. */
export function createTestMemory() {
  const store = createTestStore();
  const { db } = store;
  // Thrown away afterwards: nothing needs to survive a power cut.
  db.run('PRAGMA synchronous = OFF');
  const folder = mkdtempSync(join(tmpdir(), 'cmem-search-'));
  const index = openIndex(join(folder, 'index.db'));
  const models: TestModel[] = [];
  const clock = { now: NOW };
  const finder = createFinder({ db, models: () => models, clock: () => clock.now });
  const shop = openShelf(db, '/home/dev/shop', 'session-1');

  const search = (query: string, more: Partial<Search> = {}) =>
    searchMemories(finder, { query, filters: { projectIds: null }, order: 'relevance', limit: 40, offset: 0, why: false, ...more });

  return {
    db,
    index,
    clock,
    finder,
    shop,
    shelf: (root: string, session: string) => openShelf(db, root, session),
    search,
    find: async (query: string, more: Partial<Search> = {}) => (await search(query, more)).results.map(({ id }) => id),
    /** The best model first. */
    addModel(embedder: Embedder, isComplete = () => true): TestModel {
      const model = ensureIndexModel(index, embedder.id, embedder.dimension);
      const vectors = createVectorIndex(index, model);
      const embedded = new Set<number>();
      const embed = async (documents = listDocumentIdsBefore(db, Number.MAX_SAFE_INTEGER, 1_000_000).reverse()) => {
        for (const document of listDocumentTexts(db, documents)) {
          const { id } = document;
          if (embedded.has(id)) continue;
          embedded.add(id);
          const made = await embedder.embed(splitDocument(document), 'document');
          const stored = made.map((vector, part) => ({ document: id, part, vector }));
          putVectors(index, model.id, stored);
          vectors.add(stored);
        }
      };
      const made = { embedder, index: vectors, isComplete, embed };
      models.push(made);
      return made;
    },
    close() {
      index.close(true);
      rmSync(folder, { recursive: true });
      store.close();
    },
  };
}
