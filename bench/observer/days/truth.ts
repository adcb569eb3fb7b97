// What a demanding developer would want remembered of a scripted day, and what is fine to remember besides.
import type { ObservationType } from '../../../src/core/observation.ts';

export type Kind = 'decisions' | 'fixes' | 'deadEnds' | 'nextSteps' | 'others';
export const KINDS: Kind[] = ['decisions', 'fixes', 'deadEnds', 'nextSteps', 'others'];

/** Groups of alternatives, 'a|b' each: every group must occur. 'retr' finds "retries", not "entry"; 'ci$' only the whole word. */
export type Words = string[];

/** `types` narrows or widens what the kind accepts by itself. */
export type Truth = { what: string; mustMention: Words; types?: ObservationType[] };

/** Session and turn of the day, both from 1. */
export type TurnNumber = [session: number, turn: number];

/** `after`: the turn whose summary must say it. */
export type NextStep = { what: string; mustMention: Words; after: TurnNumber };

export type Truths = {
  decisions: Truth[];
  fixes: Truth[];
  /** Also needs the outcome 'ruled-out', or words that say it was given up. */
  deadEnds: Truth[];
  nextSteps: NextStep[];
  others: Truth[];
  /** Fine to record, not required: neither right nor false. `types: []` means as a next step only. */
  acceptable: { what: string; mustMention: Words; types?: ObservationType[] }[];
};

export const ACCEPTED_TYPES: Record<Exclude<Kind, 'nextSteps'>, ObservationType[]> = {
  decisions: ['decision'],
  fixes: ['bugfix'],
  deadEnds: ['decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change'],
  others: ['feature', 'refactor', 'discovery', 'change'],
};
