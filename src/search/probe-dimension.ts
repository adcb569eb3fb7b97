// How long an endpoint's vectors are: nobody knows before its first answer.
import type { Embedder } from './embed/embedder.ts';
import { createWakeableRest } from './wakeable-rest.ts';

export type Probe = {
  /** Why there is no answer yet. */
  problem: () => string | null;
  close: () => void;
};

const LONGEST_RETRY_MS = 5 * 60_000;

/** Asks until there is an answer; `onKnown` is called once, `embedder.dimension` is above 0 then. */
export function probeDimension(embedder: Embedder, firstRetryMs: number, onKnown: () => void): Probe {
  const pause = createWakeableRest();
  let problem: string | null = null;
  let isClosed = false;
  const run = async () => {
    for (let retryMs = firstRetryMs; !isClosed; retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS)) {
      try {
        await embedder.embed(['How long are you?'], 'query');
        if (!isClosed) onKnown();
        return;
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
      }
      if (!isClosed) await pause.rest(retryMs);
    }
  };
  void run();
  return {
    problem: () => problem,
    close() {
      isClosed = true;
      pause.wake();
    },
  };
}
