// One line for the table at the end of `npm run test:full`: how often a fault was made, and what came of it.

export type Outcome = {
  /** As facts/holes.md or facts/faults.md name it. */
  fault: string;
  runs: number;
  /** Accepted and not there in the end. */
  lost: number;
  /** There more than once. */
  twice: number;
  /** Nobody said so at the time. Left out where nothing is to be said: then all that is lost or there twice is. */
  silent?: number;
  /** Since when, by performance.now(). */
  since: number;
};

export function reportFault({ fault, runs, lost, twice, silent = lost + twice, since }: Outcome): void {
  const ms = Math.round(performance.now() - since);
  console.log(`FAULT ${JSON.stringify({ fault, runs, lost, twice, silent, ms })}`);
}
