// A job: something that a person asked for and that takes longer than an answer. The worker does it, the CLI shows it.
import type { ImportParameters, JobProgress } from './shapes/job.ts';

export const JOB_KINDS = ['import', 'export', 'rebuild', 'vacuum', 'backup'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

/** What of an import chooses among transcripts; an export and a database are taken as a whole. */
export const CHOOSING = ['agent', 'project', 'since', 'deepen'] as const satisfies (keyof ImportParameters)[];

/** Among the counts, when a job passed over something that it could not read. Whoever waits for it ends with an error then. */
export const UNREADABLE = 'unreadable';

export const countUnreadable = (count: number): Record<string, number> => (count > 0 ? { [UNREADABLE]: count } : {});

export const NO_PROGRESS: JobProgress = { step: 'waiting', done: 0, total: 0, unit: 'rows', counts: {} };

export type JobControl = {
  report: (progress: JobProgress) => void;
  /** Aborted when somebody cancels it, or the worker ends: what is done stays done, and a job that is run again goes on from there. */
  signal: AbortSignal;
  /** Lets hooks and questions be answered: to be awaited after every few milliseconds of work. */
  pause: () => Promise<void>;
  /** A worker that ended had begun with it. */
  isResumed: boolean;
};

/** Throws an AskError for what can be seen to be wrong before the job is made. */
export type CheckJob = (parameters: unknown) => void;

/**
 * Resolves with what is said at the end. Rejects with an AskError for what a person can mend. Run again with the same
 * parameters it repeats nothing.
 */
export type RunJob = (parameters: unknown, control: JobControl) => Promise<string[]>;
