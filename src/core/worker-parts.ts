// What the worker gives to its parts, whatever makes it.
import type { Stage } from './stats.ts';

/** Notes how long something took. */
export type Latencies = { note: (stage: Stage, ms: number) => void };

/** Runs it; if it takes longer than the limit, the process ends by SIGALRM, and the next worker knows what it was at. */
export type Watch = <T>(work: () => T) => T;

/** After so long it is no chance that a worker lives: it may try once more what others ended at. */
export const STABLE_MS = 60_000;

export type StoreGuard = {
  /** Why no event is taken just now; null when one may be tried. */
  refusal: () => Error | null;
  /** A write did not succeed. */
  failed: (error: unknown) => void;
  worked: () => void;
};
