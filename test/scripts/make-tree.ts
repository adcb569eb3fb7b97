// A temporary folder with the given files, gone at the end of the block that holds it with `using`.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export function makeTree(files: Record<string, string>): Disposable & { path: string } {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'claude-mem-tree-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}
