// What one kind of job is made of: jobs.ts runs it.
import type { JobProgress } from '../../core/job.ts';

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

/** Resolves with what is said at the end. Rejects with an AskError for what a person can mend. Run again with the same parameters it repeats nothing. */
export type RunJob = (parameters: unknown, control: JobControl) => Promise<string[]>;
