// One importing process, as the worker has it: given one session at a time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeDir } from '../paths.ts';
import type { ImportNews, ImportOrder } from './import-wire.ts';

export type ImportProcess = {
  /** Resolves with the last word about it; `onBytes` hears how far it is. Resolves with a failure when the process dies of it. */
  take: (order: ImportOrder, onBytes?: (bytes: number) => void) => Promise<ImportNews>;
  isAlive: () => boolean;
  /** At once: what it stored stays, and the rest is read again. */
  end: () => Promise<void>;
};

export function startImportProcess(): ImportProcess {
  let waiting: ((news: ImportNews) => void) | null = null;
  let onBytes: ((bytes: number) => void) | undefined;
  let isAlive = true;
  const hear = (news: ImportNews) => {
    if (news.kind === 'bytes') return onBytes?.(news.bytes);
    waiting?.(news);
    waiting = null;
  };
  const child = Bun.spawn([process.execPath, '--smol', findProgram()], {
    env: { HOME: homeDir() },
    stdio: ['ignore', 'ignore', 'ignore'],
    ipc: hear,
    onExit: (_child, code, signal) => {
      isAlive = false;
      hear({ kind: 'failed', error: `the process ended (${signal ?? `code ${code}`})` });
    },
  });
  return {
    take(order, listener) {
      onBytes = listener;
      return new Promise((resolve) => {
        waiting = resolve;
        if (isAlive) child.send(order);
        else hear({ kind: 'failed', error: 'the process has ended' });
      });
    },
    isAlive: () => isAlive,
    async end() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}

/** Beside the bundle that this is part of, else the source. */
function findProgram(): string {
  const built = join(import.meta.dir, 'importer.js');
  return existsSync(built) ? built : join(import.meta.dir, 'import-child.ts');
}
