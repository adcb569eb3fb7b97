// The embedding engines that run on this machine.
import type { Embedder } from './embedder.ts';
import { loadMinilm, MINILM_ID } from './minilm.ts';
import { HIDDEN } from './minilm-layout.ts';
import { loadStatic, STATIC_ID } from './static.ts';

export type EngineName = 'minilm' | 'static';
/** `load` blocks while it reads its files from the folder, and throws when one is missing. */
export type Engine = { id: string; dimension: number; load: (folder: string) => Embedder };

export const ENGINES: Record<EngineName, Engine> = {
  minilm: { id: MINILM_ID, dimension: HIDDEN, load: loadMinilm },
  static: { id: STATIC_ID, dimension: HIDDEN, load: loadStatic },
};
