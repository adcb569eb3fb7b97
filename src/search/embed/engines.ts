// The embedding engines that run on this machine, and where their program and files are.
import { join } from 'node:path';
import { findProgram } from '../../child-program.ts';
import { startBun } from '../../start-bun.ts';
import type { Embedder } from './embedder.ts';
import { HIDDEN, loadMinilm, MINILM_ID } from './minilm.ts';
import { loadStatic, STATIC_ID } from './static.ts';

export type EngineName = 'minilm' | 'static';
/** `load` blocks while it reads its files from the folder, and throws when one is missing. */
type Engine = { id: string; dimension: number; load: (folder: string) => Embedder };

export const ENGINES: Record<EngineName, Engine> = {
  minilm: { id: MINILM_ID, dimension: HIDDEN, load: loadMinilm },
  static: { id: STATIC_ID, dimension: HIDDEN, load: loadStatic },
};

/** Beside us in dist/, or in the source tree when run from it. `assets` is the folder that `load` takes. */
export function findEmbedder(): { command: string[]; assets: string } {
  const program = findProgram(import.meta.dir, 'embedder');
  const assets = join(import.meta.dir, program.endsWith('.ts') ? '../../../dist/embed' : 'embed');
  return { command: startBun(program, { args: [assets] }), assets };
}
