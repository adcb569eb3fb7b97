// One importing process, as the worker has it: given one session at a time.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { homeDir } from '../../paths.ts';
import { startBun } from '../../start-bun.ts';
import type { ImportNews, ImportOrder } from './wire.ts';

export type ImportProcess = {
  /** Resolves with the last word about it; `onBytes` hears how far it is. Resolves with a failure when the process dies of it. */
  take: (order: ImportOrder, onBytes?: (bytes: number) => void) => Promise<ImportNews>;
  isAlive: () => boolean;
  /** At once: what it stored stays, and the rest is read again. */
  end: () => Promise<void>;
};

type Waiting = { resolve: (news: ImportNews) => void; onBytes: ((bytes: number) => void) | undefined };

/** Orders are answered in their order; the first that waits is the one it is at. */
export function startImportProcess(): ImportProcess {
  const waiting: Waiting[] = [];
  let isAlive = true;
  const hear = (news: ImportNews) => {
    if (news.kind === 'bytes') waiting[0]?.onBytes?.(news.bytes);
    else waiting.shift()?.resolve(news);
  };
  const child = Bun.spawn(startBun(findProgram(), { flags: ['--smol'] }), {
    env: { HOME: homeDir() },
    stdio: ['ignore', 'ignore', 'ignore'],
    ipc: hear,
    onExit: (_child, code, signal) => {
      isAlive = false;
      const error = `the process ended (${signal ?? `code ${code}`})`;
      hear({ kind: 'failed', error });
      while (waiting.length > 0) hear({ kind: 'failed', error, isUntried: true });
    },
  });
  return {
    take: (order, onBytes) =>
      new Promise((resolve) => {
        if (!isAlive) return resolve({ kind: 'failed', error: 'the process has ended', isUntried: true });
        waiting.push({ resolve, onBytes });
        child.send(order);
      }),
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
  return existsSync(built) ? built : join(import.meta.dir, 'child.ts');
}
