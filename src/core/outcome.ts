// How an outcome is said beside a memory, in a word or two.
import type { ObservationType, Outcome } from './observation.ts';

/** Null for what needs no word: it held, or nobody could tell. */
export function describeOutcome(outcome: Outcome | null, type: ObservationType): string | null {
  if (outcome === 'ruled-out') return 'ruled out';
  if (outcome === 'failed') return 'failed';
  return outcome === 'unverified' && CLAIMS.includes(type) ? 'unproven' : null;
}

/** They say that something works now. */
const CLAIMS: ObservationType[] = ['bugfix', 'feature'];
