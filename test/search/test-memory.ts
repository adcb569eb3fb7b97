// A memory of its own for one test, searched as the product does it: words from the store, vectors made on demand.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { createFinder } from '../../src/search/find.ts';
import type { SearchableModel } from '../../src/search/indexer.ts';
import { type FoundMemories, type MemorySearch, searchMemories } from '../../src/search/search.ts';
import { splitText } from '../../src/search/split-text.ts';
import { createVectorIndex } from '../../src/search/vectors/vector-index.ts';
import { listDocumentIdsAfter, listDocumentTexts } from '../../src/store/index/documents.ts';
import { openIndex } from '../../src/store/index/index-db.ts';
import { ensureIndexModel } from '../../src/store/index/index-models.ts';
import { putVectors } from '../../src/store/index/vectors.ts';
import { openShelf } from '../support/memories.ts';
import { createTestStore } from '../support/store.ts';
import { kernel } from './vectors/index-in-memory.ts';

export const DAY = 86_400_000;
/** Local noon of a Wednesday. */
export const NOW = new Date(2026, 2, 18, 12).getTime();

export type TestModel = SearchableModel & {
  /** Makes the vectors of these documents, or of all that have none yet. */
  embed: (documents?: number[]) => Promise<void>;
};

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

  const search = (query: string, more: Partial<MemorySearch> = {}): Promise<FoundMemories> =>
    searchMemories(finder, {
      query,
      filters: { projectIds: null },
      order: 'relevance',
      limit: 40,
      offset: 0,
      why: false,
      ...more,
    });

  return {
    db,
    index,
    clock,
    finder,
    shop,
    shelf: (root: string, session: string) => openShelf(db, root, session),
    search,
    find: async (query: string, more: Partial<MemorySearch> = {}) =>
      (await search(query, more)).results.map(({ id }) => id),
    /** The best model first. */
    addModel(embedder: Embedder, isComplete = () => true): TestModel {
      const model = ensureIndexModel(index, embedder.id, embedder.dimension);
      const vectors = createVectorIndex({ db: index, kernel, model });
      const embedded = new Set<number>();
      const embed = async (documents = listDocumentIdsAfter(db, 0, 1_000_000)) => {
        for (const { id, text } of listDocumentTexts(db, documents)) {
          if (embedded.has(id)) continue;
          embedded.add(id);
          const made = await embedder.embed(splitText(text), 'document');
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
