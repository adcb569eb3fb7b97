// An observation: one thing worth remembering from a session, with where it came from and how far it is believed.
import type { Line } from './shapes/export.ts';

export const OBSERVATION_TYPES = ['decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change'] as const;
export type ObservationType = (typeof OBSERVATION_TYPES)[number];

/** passed/failed: a run said so afterwards. ruled-out: tried and given up. unverified: nothing said either way. */
export const OUTCOMES = ['passed', 'failed', 'ruled-out', 'unverified'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Who said it; `imported`: a file that nobody called their own. The trust of a memory is that of its least trusted source. */
export const ORIGINS = ['user', 'agent', 'command', 'file', 'commit', 'imported', 'web', 'mcp'] as const;
export type Origin = (typeof ORIGINS)[number];

/** How the title of a plan begins that the user approved: it counts as the user's, but its words are the agent's. */
export const PLAN_APPROVED = 'Plan approved:';

/** One sentence that stands by itself, and the ids of the events it was read from. */
export type Fact = Line<'observation'>['facts'][number];

/** What people read of it. */
export type ObservationContent = Pick<
  Line<'observation'>,
  'type' | 'title' | 'subtitle' | 'narrative' | 'facts' | 'concepts' | 'filesRead' | 'filesModified' | 'outcome'
>;

/** What an observer makes, before the store gives it an id. Content may be null: partial data is kept, never dropped. */
export type ObservationDraft = ObservationContent & {
  origin: Origin;
  sources: string[];
  /** Epoch ms of the last event it was made from. */
  at: number;
  /** A rule of the user: it does not age. */
  isRule?: boolean;
  /** English words to find it by, whatever its language: one line, by a model. */
  keywords?: string | null;
  /** Of the record of its turn: the numbers of the steps it rests on. */
  steps?: number[];
  /** Of what it rests on, the least (memory/untrusted.ts). Without one, that of its origin. */
  trust?: number;
};

/** Null for what needs no word: it held, or nobody could tell. */
export function describeOutcome(outcome: Outcome | null, type: ObservationType): string | null {
  if (outcome === 'ruled-out') return 'ruled out';
  if (outcome === 'failed') return 'failed';
  return outcome === 'unverified' && CLAIMS.includes(type) ? 'unproven' : null;
}

/** They say that something works now. */
const CLAIMS: ObservationType[] = ['bugfix', 'feature'];

/**
 * 3: said by the user. 2: said by the agent or shown by a command, a file or a commit, or brought in from a file by a
 * person. 1: from outside. Only 2 and 3 are injected by themselves.
 */
export const TRUST: Record<Origin, number> = {
  user: 3,
  agent: 2,
  command: 2,
  file: 2,
  commit: 2,
  imported: 2,
  web: 1,
  mcp: 1,
};

/** Lowest trust that is told to a session by itself; what is below came from outside. */
export const INJECTED_TRUST = 2;
