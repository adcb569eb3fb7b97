// What a session is told, as whoever looks at it meets it: the contract of the preview and the replay.
/** In the order in which they stand. */
export const CONTEXT_SECTIONS = ['summary', 'open', 'everywhere', 'decisions', 'here', 'useful', 'index', 'sessions'] as const;
export type ContextSection = (typeof CONTEXT_SECTIONS)[number];

// What `claude-mem benefit` counts: of what past sessions found out by themselves, how much the memory of that time would have named.

export type FindingKind = 'command' | 'cause' | 'file';

export type SessionMoment = { turn: number; step: number };

export type BenefitFinding = SessionMoment & {
  kind: FindingKind;
  text: string;
  /** What would have named it before, and on which occasion; null where nothing would. */
  known: { where: string; line: string } | null;
  /** With the memory of another project; null where no other had one then. */
  isKnownByChance: boolean | null;
  isGrepped: boolean;
};

export type BenefitSession = {
  session: string;
  project: string;
  startedAt: number;
  /** Turns of the project that had ended when it started. */
  turnsBefore: number;
  /** Read in all: what the memory would have given, and what grep found. */
  characters: { memory: number; grep: number };
  findings: BenefitFinding[];
};

export type Benefit = {
  /** With a past and with something found out by themselves, oldest first. */
  sessions: BenefitSession[];
  /** All that were looked at, and those of them without earlier work in their project. */
  all: number;
  withoutPast: number;
};
