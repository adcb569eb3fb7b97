// `claude-mem backup`: a verified copy of the memory, now.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeCopy } from '../../backup/copies.ts';
import { formatSize } from '../../core/format-size.ts';
import { findPaths } from '../../paths.ts';
import { printJson } from '../memory-options.ts';

export async function backup(file: string | undefined, { json = false }: { json?: boolean }): Promise<void> {
  const paths = findPaths();
  if (!existsSync(paths.database)) throw new Error(`There is no memory yet in ${paths.dataDir}.`);
  const target = file === undefined ? undefined : resolve(file);
  if (target && existsSync(target)) throw new Error(`${target} is there already. Name another file, or move it away.`);
  const isShown = !json && process.stderr.isTTY;
  const show = (done: number, total: number) => {
    const text = done >= total ? 'looking through the copy' : `${formatSize(done)} of ${formatSize(total)}`;
    process.stderr.write(`\r\x1b[K${text}`);
  };
  const copy = await makeCopy(paths, { ...(target ? { target } : {}), ...(isShown ? { onProgress: show } : {}) });
  if (isShown) process.stderr.write('\r\x1b[K');
  if (json) return printJson({ path: copy.path, at: new Date(copy.at).toISOString(), bytes: copy.size });
  console.log(`Copied and verified: ${copy.path} (${formatSize(copy.size)}). It is as private as the memory itself.`);
}
