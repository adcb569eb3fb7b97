// What is measured: the plugin as it is built now, copied away so that another build meanwhile changes nothing.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from '../../scripts/build.ts';
import { buildEmbedder } from '../../scripts/build-embedder.ts';

const ROOT = join(import.meta.dir, '../..');

export type BuiltPlugin = {
  folder: string;
  /** The pinned runtime. */
  bun: string;
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
    worker: join(folder, 'dist/worker.js'),
    dispose: () => rmSync(temp, { recursive: true, force: true }),
  };
}

/** The plugin as `install` leaves it: its launcher knows the data dir. */
export function placeBuilt({ folder }: BuiltPlugin, to: string, dataDir: string): void {
  for (const part of ['.claude-plugin', 'hooks', '.mcp.json']) cpSync(join(folder, part), join(to, part), { recursive: true });
  mkdirSync(join(to, 'bin'));
  symlinkSync(join(folder, 'dist'), join(to, 'dist'));
  symlinkSync(join(folder, 'bin/bun'), join(to, 'bin/bun'));
  const launcher = readFileSync(join(folder, 'bin/start-bun'), 'utf8').replace(/^CLAUDE_MEM_INSTALLED=$/m, `$&'${dataDir}'`);
  writeFileSync(join(to, 'bin/start-bun'), launcher, { mode: 0o755 });
}
