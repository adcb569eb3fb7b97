// What of the queue is due: what a turn that goes on has brought so far waits for its end, and is no lag.
import type { Processing } from '../../../../src/core/shapes/stream.ts';
import type { Status } from './answers.ts';

export type DueQueue = Status['queue'] & {
  /** Events of turns that go on; they are not in the depth. */
  open: number;
};

export function readDue(queue: Status['queue'], { openTurns, isProcessing }: Processing): DueQueue {
  const depth = Math.max(0, queue.depth - openTurns);
  return { ...queue, depth, oldestMs: isProcessing && depth > 0 ? queue.oldestMs : null, open: openTurns };
}
