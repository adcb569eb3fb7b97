// One importing process, as the worker has it: given one session at a time; and what the two say to each other.
import type { CaptureSettings } from '../capture/judge.ts';
import type { Unreadable } from '../capture/take-session.ts';
import type { FoundFile } from '../capture/transcript-files.ts';
import { findProgram } from '../child-program.ts';
import type { Rebuilt } from '../observe/rebuild-session.ts';
import { homeDir } from '../paths.ts';
import { startBun } from '../start-bun.ts';

export type ImportProcess = ReturnType<typeof startImportProcess>;

type Waiting = { resolve: (news: ImportNews) => void; onBytes: ((bytes: number) => void) | undefined };

/**
 * Orders are answered in their order; the first that waits is the one it is at. `onStart` hears how to end it, and says
 * what to call then.
 */
export function startImportProcess({ onStart }: { onStart?: (end: () => void) => () => void } = {}) {
  const waiting: Waiting[] = [];
  let isAlive = true;
  let isEnded = false;
  const hear = (news: ImportNews) => {
    if (news.kind === 'bytes') waiting[0]?.onBytes?.(news.bytes);
    else waiting.shift()?.resolve(news);
  };
  const child = Bun.spawn(startBun(findProgram(import.meta.dir, 'importer'), { flags: ['--smol'] }), {
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
    /** Resolves with the last word about it; `onBytes` hears how far it is. Resolves with a failure when the process dies of it. */
    take: (order: ImportOrder, onBytes?: (bytes: number) => void) =>
      new Promise<ImportNews>((resolve) => {
        if (!isAlive) return resolve({ kind: 'failed', error: 'the process has ended', isUntried: true });
        waiting.push({ resolve, onBytes });
        child.send(order);
      }),
    isAlive: () => isAlive,
    /** At once: what it stored stays, and the rest is read again. */
    async end(): Promise<void> {
      end();
      await child.exited;
    },
  };
}

export type ImportOrder =
  | {
      kind: 'begin';
      database: string;
      /** Raw payloads of what is older are dropped as soon as they were used. */
      keepSince: number;
    }
  | {
      kind: 'session';
      /** As they are now: somebody may switch off a project while it is imported. */
      settings: CaptureSettings;
      host: string;
      files: FoundFile[];
      isOver: boolean;
      /** Its turns are kept for the model, too. */
      isDeep: boolean;
    }
  | RebuildOrder;

/** `isDry`: it only counts. */
export type RebuildOrder =
  /** Looks whether the index of words is whole, and makes it again if not. */
  | { kind: 'words'; isDry: boolean }
  /** Makes the records that a session lacks. `files`: its transcripts, where there are some; `since`: what ended before is not kept. */
  | {
      kind: 'records';
      session: string;
      host: string;
      files: FoundFile[];
      settings: CaptureSettings;
      since: number;
      isDry: boolean;
    }
  /** Makes again what is derived from the records of some sessions, by our ids; null: the documents of what no session made. */
  | { kind: 'rebuild'; sessions: (number | null)[]; isDry: boolean };

export type ImportNews =
  | { kind: 'ready' }
  | { kind: 'bytes'; bytes: number }
  | {
      kind: 'taken';
      added: number;
      observations: number;
      /** It was to be deepened, and is more than its transcript says. */
      isLeftAsItIs: boolean;
      unreadable?: Unreadable;
    }
  | { kind: 'words'; isSound: boolean }
  | { kind: 'recorded'; records: number; forgotten: number }
  | ({ kind: 'rebuilt' } & Rebuilt)
  | {
      kind: 'failed';
      error: string;
      /** It was never begun. */
      isUntried?: boolean;
    };
