// Homes whose memory and index are filled, one for each size, for all parts of the search benchmark.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ENGINES } from '../../src/search/embed/engines.ts';
import type { BenchHome } from '../spine/bench-home.ts';
import type { BenchDeps } from '../spine/benchmark.ts';
import { fillMemory } from './fill-memory.ts';
import { fillVectors } from './fill-vectors.ts';
import { createLanguage, type Language } from './synthetic-words.ts';

export type FilledMemory = {
  home: BenchHome;
  observations: number;
  /** Models that have vectors of everything. */
  models: number;
  documents: number;
  fillMs: number;
};

export type FilledMemories = {
  language: Language;
  dist: string;
  take: (observations: number) => Promise<FilledMemory>;
};

/** Above it one model's vectors must do: a worker is started with smaller ones only. */
const MOST_FOR_A_WORKER = 100_000;

export function createFilledMemories({ built, makeHome, say }: BenchDeps): FilledMemories {
  const dist = join(built.folder, 'dist');
  const assets = join(dist, 'embed');
  const language = createLanguage(assets);
  const filled = new Map<number, Promise<FilledMemory>>();

  const fill = async (observations: number): Promise<FilledMemory> => {
    const home = makeHome();
    mkdirSync(home.paths.dataDir, { recursive: true, mode: 0o700 });
    say(`filling a memory with ${observations} observations`);
    const started = performance.now();
    fillMemory(home.paths.database, { observations, language });
    const { static: fast, minilm } = ENGINES;
    const models = observations > MOST_FOR_A_WORKER ? [fast.id] : [fast.id, minilm.id];
    const { database: memory, indexDatabase: index } = home.paths;
    const documents = await fillVectors({ memory, index, assets, models });
    return { home, observations, models: models.length, documents, fillMs: performance.now() - started };
  };

  return {
    language,
    dist,
    take(observations) {
      const known = filled.get(observations) ?? fill(observations);
      filled.set(observations, known);
      return known;
    },
  };
}
