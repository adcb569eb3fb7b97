// How long the hook has worked on one event. Loaded by the hook: no imports.

export type WorkClock = {
  /** Waiting for stdin or for the worker is no work. */
  start: () => void;
  stop: () => void;
  /** `share`: whether so much of the time is spent. */
  isOver: (share?: number) => boolean;
};

/** What is not stripped and scrubbed by then is left out: the transcript brings it later. */
const WORK_MS = 300;

export function createWorkClock(limitMs = WORK_MS, now: () => number = () => performance.now()): WorkClock {
  let spentMs = 0;
  let startedAt: number | null = null;
  const running = () => (startedAt === null ? 0 : now() - startedAt);
  return {
    start() {
      startedAt ??= now();
    },
    stop() {
      spentMs += running();
      startedAt = null;
    },
    isOver: (share = 1) => spentMs + running() >= limitMs * share,
  };
}
