// What waited when: the last minutes of the queue, as this tab saw them.
import { signal } from '@preact/signals';

export type QueueSample = { at: number; depth: number; oldestMs: number | null };

export const SPAN_MS = 10 * 60_000;

/** Kept while other pages are looked at. */
export const samples = signal<QueueSample[]>([]);

export function addSample(sample: QueueSample): void {
  const kept = samples.peek().filter(({ at }) => at >= sample.at - SPAN_MS);
  samples.value = [...kept, sample];
}

/** Seconds before now (0 is now) with the value that held from there on. */
export function readSteps(all: QueueSample[], read: (sample: QueueSample) => number, now: number) {
  const last = all.at(-1);
  const xs = all.map(({ at }) => Math.min(0, Math.round((at - now) / 1000)));
  const values = all.map(read);
  return last ? { xs: [...xs, 0], values: [...values, read(last)] } : { xs: [], values: [] };
}
