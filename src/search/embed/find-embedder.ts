// Where the embedder's program and its files are: beside us in dist/, or in the source tree when run from it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startBun } from '../../start-bun.ts';

/** `command` is what createChildEmbedder takes; `assets` is the folder that loadStatic and loadMinilm take. */
export type FoundEmbedder = { command: string[]; assets: string };

export function findEmbedder(): FoundEmbedder {
  const built = join(import.meta.dir, 'embedder.js');
  if (existsSync(built)) return describe(built, join(import.meta.dir, 'embed'));
  return describe(join(import.meta.dir, 'child.ts'), join(import.meta.dir, '../../../dist/embed'));
}

function describe(program: string, assets: string): FoundEmbedder {
  return { command: startBun(program, { args: [assets] }), assets };
}
