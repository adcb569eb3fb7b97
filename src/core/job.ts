// A job: something that a person asked for and that takes longer than an answer. The worker does it, the CLI shows it.

export const JOB_KINDS = ['import', 'export', 'rebuild', 'vacuum'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export type JobStatus = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

/** How far it is, in words and numbers that a bar can be made of. */
export type JobProgress = {
  /** `reading 120 of 2,000 sessions`. */
  step: string;
  /** In one unit for the whole job: bytes where files are read, rows elsewhere. */
  done: number;
  total: number;
  unit: 'bytes' | 'rows';
  /** What came of it so far: `{sessions: 12, events: 340}`. */
  counts: Record<string, number>;
};

export type Job = {
  id: number;
  kind: JobKind;
  /** What it was asked for, as it was said. */
  parameters: Record<string, unknown>;
  status: JobStatus;
  progress: JobProgress;
  /** What it says at its end, for people: lines of text. */
  result: string[] | null;
  error: string | null;
  createdAt: number;
  endedAt: number | null;
};

/** `GET /api/jobs`: the latest first. */
export type JobsAnswer = { jobs: Job[]; total: number; limit: number; offset: number };

/** Among the counts, when a job passed over something that it could not read. Whoever waits for it ends with an error then. */
export const UNREADABLE = 'unreadable';

export const countUnreadable = (count: number): Record<string, number> => (count > 0 ? { [UNREADABLE]: count } : {});

export const NO_PROGRESS: JobProgress = { step: 'waiting', done: 0, total: 0, unit: 'rows', counts: {} };
