// What is measured: the plugin as it is built now, copied away so that another build meanwhile changes nothing.
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../scripts/build.ts';
import { buildEmbedder } from '../../scripts/build-embedder.ts';

const ROOT = join(import.meta.dir, '../..');

export type BuiltPlugin = {
  folder: string;
  /** The pinned runtime. */
  bun: string;
  /** A hook command as hooks.json has it. */
  hook: (command: string, agent?: string) => string[];
  worker: string;
  dispose: () => void;
};

export async function buildPlugin(): Promise<BuiltPlugin> {
  await build(ROOT);
  await buildEmbedder(ROOT);
  const temp = realpathSync(mkdtempSync(join(tmpdir(), 'cmem-bench-plugin-')));
  const folder = join(temp, 'plugin');
  cpSync(join(ROOT, 'plugin'), folder, { recursive: true, dereference: true });
  return {
    folder,
    bun: join(folder, 'bin/bun'),
    hook: (command, agent) => [join(folder, 'bin/start-bun'), 'hook.js', command, ...(agent ? [agent] : [])],
    worker: join(folder, 'dist/worker.js'),
    dispose: () => rmSync(temp, { recursive: true, force: true }),
  };
}
