// Makes dist/viewer: the page, its script and its style, and the licences of what is in them.
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';
import { collectLicences } from './third-party.ts';

/** Writes root/dist/viewer and root/plugin/dist/viewer. */
export async function buildViewer(root: string): Promise<void> {
  const workshop = mkdtempSync(join(tmpdir(), 'claude-mem-viewer-'));
  const outDir = join(workshop, 'viewer');
  try {
    const built = await build({
      configFile: join(root, 'viewer/vite.config.ts'),
      logLevel: 'warn',
      build: { outDir },
    });
    writeFileSync(join(outDir, 'licences.txt'), collectLicences(listModules(built)));
    for (const folder of ['dist/viewer', 'plugin/dist/viewer']) publish(outDir, join(root, folder));
  } finally {
    rmSync(workshop, { recursive: true });
  }
}

/** Styles are a module of their package, too; what is no file, such as Vite's own parts, has a mark before its name. */
function listModules(built: Awaited<ReturnType<typeof build>>): string[] {
  const outputs = Array.isArray(built) ? built : [built];
  const chunks = outputs.flatMap((one) => ('output' in one ? one.output : []));
  return chunks.flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : [])).filter(isFile);
}

const isFile = (id: string) => id.startsWith('/') && !id.includes('\0');

/** A worker reads the folder as a whole when it is first asked: it is put there as a whole. */
function publish(from: string, to: string): void {
  const [next, old] = [`${to}.next-${process.pid}`, `${to}.old-${process.pid}`];
  cpSync(from, next, { recursive: true });
  try {
    renameSync(to, old);
  } catch (error) {
    // The first build: nothing is there yet.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  renameSync(next, to);
  rmSync(old, { recursive: true, force: true });
}
