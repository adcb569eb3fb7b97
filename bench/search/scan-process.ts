// A process of its own that searches one index.db: cold, warm, with filters, and what memory it takes. Prints JSON.

import { ensureIndexModel, openIndex } from '../../src/search/index-db.ts';
import { acceptDocuments, createVectorIndex } from '../../src/search/vector-index.ts';
import { createBenchVectors, DIMENSION, MODEL } from './fill-index.ts';

export type ScanTimes = {
  coldMs: number;
  warmMs: number[];
  /** Limited to a project of 50 memories, and to one in five of all. */
  smallProjectMs: number[];
  bigProjectMs: number[];
  scoresMs: number[];
  /** What a search adds to the process, and what is left of it after release. In MB. */
  loadedMb: number;
  releasedMb: number;
};

if (import.meta.main) {
  const [path = '', documents = '0', rounds = '0'] = process.argv.slice(2);
  console.log(JSON.stringify(await measure(path, Number(documents), Number(rounds))));
}

async function measure(path: string, documents: number, rounds: number): Promise<ScanTimes> {
  const db = openIndex(path);
  const model = ensureIndexModel(db, MODEL, DIMENSION);
  // Other vectors about the same topics: a query is not a copy of a document.
  const source = createBenchVectors(documents, 1);
  const queries = Array.from({ length: rounds + 1 }, () => source.query());
  const index = createVectorIndex(db, model);
  const every = (step: number) => Array.from({ length: Math.floor(documents / step) }, (_, i) => (i + 1) * step);
  const small = acceptDocuments(every(Math.max(1, Math.floor(documents / 50))));
  const big = acceptDocuments(every(5));
  const keywordHits = every(Math.max(1, Math.floor(documents / 100)));
  const before = readRss();
  const [first = new Int8Array(DIMENSION)] = queries;
  const search = (query: Int8Array, accept?: Uint8Array) => index.search(query, { limit: 100, accept });
  const coldMs = await time(() => search(first));
  const loadedMb = readRss() - before;
  const times = async (run: (query: Int8Array) => unknown) => {
    const found: number[] = [];
    for (const query of queries.slice(1)) found.push(await time(() => run(query)));
    return found;
  };
  const warm = {
    warmMs: await times((query) => search(query)),
    smallProjectMs: await times((query) => search(query, small)),
    bigProjectMs: await times((query) => search(query, big)),
    scoresMs: await times((query) => index.scores(query, keywordHits)),
  };
  index.release();
  // The allocator returns pages some time after they were freed.
  for (let i = 0; i < 5; i++) {
    Bun.gc(true);
    await Bun.sleep(200);
  }
  return { coldMs, ...warm, loadedMb, releasedMb: readRss() - before };
}

async function time(run: () => unknown): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

function readRss(): number {
  Bun.gc(true);
  return process.memoryUsage().rss / 1024 / 1024;
}
