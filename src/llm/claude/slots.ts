// A limit on how many may do something at once; the others wait in line.

/** `take` resolves with what gives the slot back. A signal that fires while waiting rejects with its reason. */
export type Slots = { take: (signal?: AbortSignal) => Promise<() => void> };

export function createSlots(limit: number): Slots {
  let free = limit;
  const waiting: (() => void)[] = [];
  const giveBack = () => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  return {
    take: async (signal) => {
      signal?.throwIfAborted();
      if (free > 0) free--;
      else await standInLine(waiting, signal);
      return giveBack;
    },
  };
}

function standInLine(waiting: (() => void)[], signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onTurn = () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    };
    const onAbort = () => {
      waiting.splice(waiting.indexOf(onTurn), 1);
      reject(signal?.reason);
    };
    waiting.push(onTurn);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
