// The format of an export: a header, then one JSON object for each line. docs/export.md describes it.
import type { Citation } from './evidence.ts';
import type { Why } from './memory.ts';
import type { ObservationDraft } from './observation.ts';

export const EXPORT_VERSION = 1;

/** A longer line is none of ours. */
export const LONGEST_LINE = 4 * 1024 * 1024;

/** In the order they stand in a file. Times are ISO texts. */
export const LINE_KINDS = [
  'project',
  'session',
  'prompt',
  'turn',
  'observation',
  'summary',
  'replaced',
  'commit',
  'distrusted',
  'forgotten',
] as const;
export type LineKind = (typeof LINE_KINDS)[number];

export type ExportCounts = Record<LineKind, number>;

export type ExportHeader = {
  'claude-mem': 'export';
  version: number;
  at: string;
  /** Only this project's, by its key. Null: all. */
  project: string | null;
  /** Only from then on. Null: from the beginning. */
  since: string | null;
  /** The lines that follow: a file with fewer was cut off. */
  counts: ExportCounts;
};

export type ProjectLine = {
  kind: 'project';
  key: string;
  name: string;
  root: string;
  remote: string | null;
  firstCommit: string | null;
  isRenamed: boolean;
  /** Other keys it is known by. */
  aliases: { key: string; at: string }[];
  at: string;
};

export type SessionLine = {
  kind: 'session';
  /** The host's own id: what belongs to the session names it. */
  session: string;
  host: string;
  /** A project's key. */
  project: string;
  cwd: string;
  root: string;
  branch: string | null;
  title: string | null;
  subtitle: string | null;
  firstPrompt: string | null;
  prompts: number;
  status: string;
  endReason: string | null;
  startedAt: string;
  updatedAt: string;
  completedAt: string | null;
};

/** A number by which `replaced` lines of this file name a memory; only where there are some. */
type Ref = number | undefined;

export type PromptLine = {
  kind: 'prompt';
  ref?: Ref;
  session: string;
  number: number;
  promptId: string | null;
  /** Empty for a private one: nothing else is left of it. */
  text: string;
  isPrivate: boolean;
  at: string;
};

/** Who announced it: a list of the agent, the end of its turn, the user, or a model that read the turn. */
export const STEP_SOURCES = ['todo', 'closing', 'user', 'model'] as const;
export type StepSource = (typeof STEP_SOURCES)[number];

/** The record of the turn that the prompt before it began. */
export type TurnLine = {
  kind: 'turn';
  session: string;
  /** That of its prompt. */
  number: number;
  branch: string | null;
  headBefore: string | null;
  headAfter: string | null;
  /** Plain text: src/turns/record.ts writes and reads it. */
  record: string;
  /** What it left to do, as far as nothing has ended it. */
  openSteps: { text: string; source: StepSource }[];
  startedAt: string;
  endedAt: string;
};

/** What was observed, in the words of the store, and what became of it since. */
export type ObservationLine = Omit<ObservationDraft, 'at' | 'isRule' | 'steps'> & {
  kind: 'observation';
  ref?: Ref;
  session: string;
  project: string;
  prompt: number | null;
  trust: number;
  isPinned: boolean;
  isKept: boolean;
  /** The user said that it holds from then on. */
  isRule: boolean;
  isQuarantined: boolean;
  wrongAt: string | null;
  editedAt: string | null;
  head: string | null;
  branch: string | null;
  commit: string | null;
  citations: Citation[];
  errorMarks: string[];
  /** The commits that it was made of. */
  commits: Omit<CommitLine, 'kind' | 'project'>[];
  at: string;
};

export type SummaryLine = {
  kind: 'summary';
  ref?: Ref;
  session: string;
  project: string;
  prompt: number | null;
  request: string | null;
  investigated: string | null;
  learned: string | null;
  completed: string | null;
  nextSteps: string | null;
  notes: string | null;
  filesRead: string[];
  filesEdited: string[];
  at: string;
};

/** `by` replaces `ref`, or may do so. */
export type ReplacedLine = {
  kind: 'replaced';
  ref: number;
  by: number;
  isCertain: boolean;
  why: Why;
  words: string | null;
  madeBy: 'rules' | 'model' | 'user';
  /** A person said that both hold. */
  bothHold: boolean;
  /** Null, in a file of 0.1.0: since the newer was there. */
  at: string | null;
};

/** A commit of which no memory is there: left out, or forgotten. It does not come back. */
export type CommitLine = {
  kind: 'commit';
  project: string;
  hash: string;
  at: string;
  reverts: string | null;
  /** By whoever worked there; null when nobody knows. */
  isOwn: boolean | null;
  isRoutine: boolean;
};

export type DistrustedLine = { kind: 'distrusted'; source: string; at: string };

/** A hash of what was forgotten: it stays forgotten elsewhere, too. */
export type ForgottenLine = {
  kind: 'forgotten';
  what: 'event' | 'session' | 'agent' | 'text';
  hash: string;
  at: string;
};

export type ExportLine =
  | ProjectLine
  | SessionLine
  | PromptLine
  | TurnLine
  | ObservationLine
  | SummaryLine
  | ReplacedLine
  | CommitLine
  | DistrustedLine
  | ForgottenLine;

export const noLines = (): ExportCounts => ({
  project: 0,
  session: 0,
  prompt: 0,
  turn: 0,
  observation: 0,
  summary: 0,
  replaced: 0,
  commit: 0,
  distrusted: 0,
  forgotten: 0,
});
