// Programs of ours that do long work in a process of their own: one order after the other, and they end with whoever asked.
import { existsSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';

/** Beside the bundle that asks, else its source. */
export function findProgram(folder: string, name: string): string {
  const built = join(folder, `${name}.js`);
  return existsSync(built) ? built : join(folder, 'child.ts');
}

/** Two thirds less of a busy processor than a program that somebody waits for. It cannot be taken back, and need not be. */
const BACKGROUND = 5;

export function stepBack(): void {
  try {
    setPriority(BACKGROUND);
  } catch {
    // A system that does not let us: the work is done all the same.
  }
}

/** Nothing else keeps the process alive: without this channel it has ended. */
export function serveOrders<Order>(answer: (order: Order) => Promise<unknown>): void {
  let last = Promise.resolve();
  process.on('message', (order: Order) => {
    last = last.then(async () => reply(await answer(order)));
  });
  process.on('disconnect', () => process.removeAllListeners('message'));
}

/** Whoever asked may be gone: what was done is done all the same. */
export function reply(message: unknown): void {
  if (process.connected) process.send?.(message);
}
