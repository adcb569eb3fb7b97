// npm run bench:retrieval [-- --data DIR] [--json] [--only NAME[,NAME]]: how well the product finds, by each of its embedders.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ENGINES, type EngineName } from '../../src/search/embed/engines.ts';
import type { Finder } from '../../src/search/find.ts';
import { ASSETS } from './bank.ts';
import { type CommitsResult, loadCommits } from './commits.ts';
import { type CoSqaResult, loadCoSqa } from './cosqa.ts';
import { type DevMemResult, loadDevMem } from './devmem.ts';
import { type LanguagesResult, loadLanguages } from './languages.ts';
import { type LocomoResult, loadLocomo } from './locomo.ts';
import { loadSde, type SdeResult } from './sde.ts';
import { printResults } from './table.ts';

const SETS = {
  sde: loadSde,
  commits: loadCommits,
  locomo: loadLocomo,
  devmem: loadDevMem,
  cosqa: loadCoSqa,
  languages: loadLanguages,
} as const;
/** `alone`: ordered by the meaning alone, as `keyword` is by the words alone. Both together must not be worse than either. */
const WAYS = ['minilm', 'minilm alone', 'static', 'static alone', 'keyword'] as const;

export type Way = (typeof WAYS)[number];
export type SetName = keyof typeof SETS;
export type Results = {
  sde?: SdeResult;
  commits?: CommitsResult;
  locomo?: LocomoResult;
  devmem?: DevMemResult;
  cosqa?: CoSqaResult;
  languages?: LanguagesResult;
};

const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: resolve(import.meta.dir, '../../../shared/data') },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

process.exit(await main());

async function main(): Promise<number> {
  if (!existsSync(options.data)) {
    console.error(`There is no folder ${options.data}. Name the one with the benchmark files: --data DIR`);
    return 1;
  }
  // Each way has an entry.
  const results = Object.fromEntries(WAYS.map((way) => [way, {}])) as Record<Way, Results>;
  for (const name of chooseSets()) await runSet(name, results);
  if (options.json) console.log(JSON.stringify(results, null, 2));
  else printResults(results);
  return 0;
}

function chooseSets(): SetName[] {
  const names = Object.keys(SETS) as SetName[];
  if (options.only === undefined) return names;
  return options.only.split(',').map((wanted) => {
    const found = names.find((name) => name === wanted);
    if (!found) throw new Error(`no set is called ${wanted}; there are ${names.join(', ')}`);
    return found;
  });
}

async function runSet(name: SetName, results: Record<Way, Results>): Promise<void> {
  const loaded = await SETS[name](options.data);
  if (!loaded) return say(`${name}: its file is not in ${options.data}`);
  const documents = loaded.bank.db.query<{ n: number }, []>('SELECT count(*) AS n FROM documents').get()?.n;
  for (const way of ['minilm', 'static', 'keyword'] as const) {
    const started = performance.now();
    const embedder = way === 'keyword' ? null : ENGINES[way satisfies EngineName].load(ASSETS);
    const finder = await loaded.bank.index(embedder);
    // Each set has its own kind of result, and its own field for it.
    results[way][name] = (await loaded.ask(finder)) as never;
    if (way !== 'keyword') results[`${way} alone`][name] = (await loaded.ask(byMeaning(finder))) as never;
    say(`${name} ${way}: ${documents} documents, ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  await loaded.bank.close();
}

function byMeaning(finder: Finder): Finder {
  return {
    ...finder,
    async find(query, filters) {
      const found = await finder.find(query, filters);
      const scored = found.scored.map((one) => ({ ...one, score: one.parts.meaning }));
      return { ...found, scored: scored.sort((one, other) => other.score - one.score) };
    },
  };
}

function say(line: string): void {
  console.error(line);
}
