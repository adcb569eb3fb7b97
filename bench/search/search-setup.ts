// The product's own search over a filled memory.db and index.db, by words alone or with an embedder.
import { join } from 'node:path';
import { DEFAULT_LIMIT } from '../../src/core/search.ts';
import { findProject } from '../../src/projects/projects.ts';
import { ChildEmbedder } from '../../src/search/embed/child-embedder.ts';
import type { Embedder } from '../../src/search/embed/embedder.ts';
import { createLazyStatic, STATIC_ID } from '../../src/search/embed/static.ts';
import type { Filters } from '../../src/search/filters.ts';
import { createFinder } from '../../src/search/find.ts';
import { ensureIndexModel, openIndex } from '../../src/search/index-db.ts';
import type { SearchableModel } from '../../src/search/indexer.ts';
import { searchMemories } from '../../src/search/search.ts';
import { createVectorIndex } from '../../src/search/vector-index.ts';
import { openStore } from '../../src/store/open.ts';
import { SMALL_PROJECT } from './fill-memory.ts';

export const MODES = ['words', 'static', 'minilm'] as const;
export type Mode = (typeof MODES)[number];

/** `dist` is the built one: its assets, and the program of the child. */
export type SearchFiles = { memory: string; index: string; dist: string };

const DIMENSION = 384;
export function openSearch({ memory, index, dist }: SearchFiles, mode: Mode) {
  const db = openStore(memory);
  const indexDb = openIndex(index);
  const makeEmbedder = () => createEmbedder(mode, dist);
  let embedder = makeEmbedder();
  // The vectors are the same for every model (fill-vectors.ts).
  const model = ensureIndexModel(indexDb, STATIC_ID, DIMENSION);
  const vectors = createVectorIndex(indexDb, model);
  const models = (): SearchableModel[] => (embedder ? [{ embedder, index: vectors, isComplete: () => true }] : []);
  const finder = createFinder({ db, models, clock: Date.now });
  const projectId = findProject(db, SMALL_PROJECT)?.id ?? 0;
  const small: Filters = { projectIds: [projectId] };
  const everywhere: Filters = { projectIds: null };

  return {
    db,
    finder,
    search: (query: string, isSmall: boolean) =>
      searchMemories(finder, {
        query,
        filters: isSmall ? small : everywhere,
        order: 'relevance',
        // What the agent's search tool asks for.
        limit: DEFAULT_LIMIT,
        offset: 0,
        why: false,
      }),
    /** What the worker does some time after the last search: vectors, caches, embedder and its process are gone. */
    async release() {
      vectors.release();
      for (const file of [db, indexDb]) file.run('PRAGMA shrink_memory');
      await embedder?.close();
      embedder = makeEmbedder();
      Bun.gc(true);
    },
    async close() {
      await embedder?.close();
      indexDb.close(true);
      db.close(true);
    },
  };
}

function createEmbedder(mode: Mode, dist: string): Embedder | null {
  if (mode === 'words') return null;
  const assets = join(dist, 'embed');
  if (mode === 'static') {
    return createLazyStatic(assets);
  }
  const command = [process.execPath, `--cwd=${dist}`, '--no-env-file', join(dist, 'embedder.js'), assets];
  return new ChildEmbedder({ engine: 'minilm', command });
}
