// Whether the queue grows or shrinks: its depth, looked at now and then.
import type { Database } from 'bun:sqlite';
import { readQueue } from '../../store/events/queue.ts';

export type QueueTrend = {
  /** `slope`: events that came or went per minute, over the last minute; below zero it gets shorter. */
  read: () => { depth: number; oldestMs: number | null; slope: number };
  close: () => void;
};

const LOOK_MS = 10_000;
const KEPT_MS = 60_000;

export function createQueueTrend({ db, clock }: { db: Database; clock: () => number }): QueueTrend {
  let samples: { at: number; depth: number }[] = [];

  const look = () => {
    const at = performance.now();
    const queue = readQueue(db, clock());
    samples = [...samples.filter((sample) => at - sample.at <= KEPT_MS), { at, depth: queue.depth }];
    return queue;
  };

  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // The database is locked or full: whoever must know is told by others.
    }
  }, LOOK_MS);
  timer.unref();

  return {
    read() {
      const { depth, oldestMs } = look();
      const [first] = samples;
      const minutes = (performance.now() - (first?.at ?? 0)) / 60_000;
      // Of a moment nothing can be said.
      const isLong = minutes * 60_000 >= LOOK_MS / 2;
      return { depth, oldestMs, slope: first && isLong ? Math.round((depth - first.depth) / minutes) : 0 };
    },
    close: () => clearInterval(timer),
  };
}
