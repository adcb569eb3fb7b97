// A process of its own that searches one memory as the worker does: cold, warm, in a small project, after a release. Prints JSON.
import { join } from 'node:path';
import { createQueries } from './queries.ts';
import { type Mode, openSearch, type SearchFiles } from './search-setup.ts';
import { createLanguage } from './synthetic-words.ts';

export type SearchTask = SearchFiles & {
  mode: Mode;
  /** In the memory. */
  observations: number;
  /** Queries of each kind, all different; 0 measures the first alone. */
  rounds: number;
};

export type SearchTimes = {
  coldMs: number;
  warmMs: number[];
  smallProjectMs: number[];
  releasedMs: number[];
  /** Of the warm queries: how many found anything. */
  answered: number;
};

const WARM_UP = 20;
const RELEASES = 5;

if (import.meta.main) console.log(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? '{}'))));

async function measure({ mode, observations, rounds, ...files }: SearchTask): Promise<SearchTimes> {
  const nextQuery = createQueries(createLanguage(join(files.dist, 'embed')), observations);
  const [first, ...warmUp] = Array.from({ length: 1 + WARM_UP }, nextQuery);
  const opened = openSearch(files, mode);
  const time = async (query: string, isSmall = false) => {
    const started = performance.now();
    const { results } = await opened.search(query, isSmall);
    return { ms: performance.now() - started, found: results.length };
  };
  const times: SearchTimes = { coldMs: 0, warmMs: [], smallProjectMs: [], releasedMs: [], answered: 0 };
  times.coldMs = (await time(first ?? '')).ms;
  if (rounds > 0) for (const query of warmUp) await time(query);
  for (let round = 0; round < rounds; round++) {
    const { ms, found } = await time(nextQuery());
    times.warmMs.push(ms);
    if (found > 0) times.answered++;
    times.smallProjectMs.push((await time(nextQuery(), true)).ms);
  }
  for (let round = 0; round < Math.min(RELEASES, rounds); round++) {
    await opened.release();
    times.releasedMs.push((await time(nextQuery())).ms);
  }
  await opened.close();
  return times;
}
