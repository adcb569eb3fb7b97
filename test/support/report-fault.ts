// One line for the table at the end of `npm run test:full`: how often a fault was made, and what came of it.

export type Outcome = {
  /** As facts/holes.md or facts/faults.md name it. */
  fault: string;
  runs: number;
  /** Accepted and not there in the end. */
  lost: number;
  /** There more than once. */
  twice: number;
  /** Nobody said so at the time. */
  silent: number;
  /** Since when, by performance.now(). */
  since: number;
};

export function reportFault({ since, ...outcome }: Outcome): void {
  console.log(`FAULT ${JSON.stringify({ ...outcome, ms: Math.round(performance.now() - since) })}`);
}
