// Has the page of the next session written when the last one is over: once its turns are processed and no hook waits.
import type { Ingested } from '../capture/ingest.ts';
import type { Log } from '../log.ts';

type PreparingDeps = {
  prepare: (cwd: string) => Promise<void>;
  /** Since a hook was heard. */
  quietMs: () => number;
  log: Log;
};

const QUIET_MS = 1000;
/** Its last turn is processed within seconds; what is stored for hours is an import. */
const MOST_TIMES = 3;

export function createPreparing({ prepare, quietMs, log }: PreparingDeps) {
  let next: { cwd: string; left: number } | null = null;
  let timer: Timer | null = null;
  let writing: Promise<void> = Promise.resolve();

  function run(): void {
    timer = null;
    if (next && quietMs() >= QUIET_MS) {
      next.left--;
      writing = prepare(next.cwd).catch((error) =>
        log.error('the page of the next session could not be written', { error: String(error) }),
      );
    } else wake();
  }

  /** Something was stored: the page may be another. */
  function wake(): void {
    if (next && next.left > 0) timer ??= setTimeout(run, QUIET_MS);
  }

  return {
    note({ happened }: Ingested): void {
      if (happened?.event.kind === 'prompt') next = null;
      if (happened?.event.kind !== 'end') return;
      next = { cwd: happened.event.cwd, left: MOST_TIMES };
      wake();
    },
    wake,
    close: async () => {
      next = null;
      if (timer) clearTimeout(timer);
      await writing;
    },
  };
}
