// How long the queue is, and whether it grows: its length is noted every few seconds.
import type { Database } from 'bun:sqlite';
import { readQueue } from '../store/queue.ts';

export type QueueGauge = {
  /** `slope`: by how many events a minute it grew over the last minutes; below zero it shrinks. */
  read: () => { depth: number; oldestMs: number | null; slope: number };
  close: () => void;
};

const NOTE_MS = 15_000;
const WINDOW_MS = 5 * 60_000;
/** Over a shorter time one turn that ends looks like a flood. */
const LEAST_MS = 1000;

export function createQueueGauge({ db, clock }: { db: Database; clock: () => number }): QueueGauge {
  let notes: { at: number; depth: number }[] = [];
  const note = () => {
    const now = clock();
    notes = [
      ...notes.filter(({ at }) => at <= now && now - at <= WINDOW_MS),
      { at: now, depth: readQueue(db, now).depth },
    ];
  };
  note();
  const timer = setInterval(note, NOTE_MS);
  timer.unref();

  return {
    read() {
      const now = clock();
      const { depth, oldestMs } = readQueue(db, now);
      const first = notes.find(({ at }) => now - at <= WINDOW_MS);
      const isLong = first !== undefined && now - first.at >= LEAST_MS;
      const slope = isLong ? (depth - first.depth) / ((now - first.at) / 60_000) : 0;
      return { depth, oldestMs, slope: Math.round(slope * 10) / 10 };
    },
    close: () => clearInterval(timer),
  };
}
