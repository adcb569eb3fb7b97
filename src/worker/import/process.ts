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

/** Orders are answered in their order; the first that waits is the one it is at. `onStart` hears how to end it, and says what to call then. */
export function startImportProcess({ onStart }: { onStart?: (end: () => void) => () => void } = {}): ImportProcess {
  const waiting: Waiting[] = [];
  let isAlive = true;
  let isEnded = false;
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
      onEnd?.();
      const error = `the process ended (${signal ?? `code ${code}`})`;
      // Of one that we ended nobody can say that it died of what it was at.
      hear({ kind: 'failed', error, ...(isEnded && { isUntried: true }) });
      while (waiting.length > 0) hear({ kind: 'failed', error, isUntried: true });
    },
  });
  const end = () => {
    isEnded = true;
    child.kill('SIGKILL');
  };
  const onEnd = onStart?.(end);
  return {
    take: (order, onBytes) =>
      new Promise((resolve) => {
        if (!isAlive) return resolve({ kind: 'failed', error: 'the process has ended', isUntried: true });
        waiting.push({ resolve, onBytes });
        child.send(order);
      }),
    isAlive: () => isAlive,
    async end() {
      end();
      await child.exited;
    },
  };
}

/** Beside the bundle that this is part of, else the source. */
function findProgram(): string {
  const built = join(import.meta.dir, 'importer.js');
  return existsSync(built) ? built : join(import.meta.dir, 'child.ts');
}
