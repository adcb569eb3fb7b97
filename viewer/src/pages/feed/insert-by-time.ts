// A memory put where its time belongs, among others that are in order.
import type { Memory } from '../../../../src/core/shapes/memory.ts';

/** Newest first; of the same time the one that came last is first. */
export function insertByTime(all: readonly Memory[], memory: Memory): readonly Memory[] {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle]?.at ?? 0) > memory.at) low = middle + 1;
    else high = middle;
  }
  return [...all.slice(0, low), memory, ...all.slice(low)];
}
