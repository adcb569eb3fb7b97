// What of the queue is due: what a turn that goes on has brought so far waits for its end, and is no lag.
import type { Processing } from '../../../../src/core/shapes/stream.ts';
import type { Status } from '../../../../src/core/shapes/worker.ts';

export type DueQueue = {
  depth: number;
  oldestMs: number | null;
  /** Events of turns that go on; they are not in the depth. */
  open: number;
};

export function readDue({ queue }: Status, processing: Processing | null): DueQueue {
  const open = processing?.openTurns ?? 0;
  const depth = Math.max(0, queue.depth - open);
  return { depth, oldestMs: processing?.isProcessing && depth > 0 ? queue.oldestMs : null, open };
}
