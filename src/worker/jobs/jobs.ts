// Runs what a person asked for, one job at a time, beside everything else. A job that a dead worker left is taken up again.
import type { Database } from 'bun:sqlite';
import { AskError } from '../../core/ask-error.ts';
import { type Job, type JobKind, type JobProgress, NO_PROGRESS } from '../../core/job.ts';
import { isPassing } from '../../core/passing-fault.ts';
import type { Log } from '../../log.ts';
import { dropOldJobs, endJob, getJob, insertJob, type NextJob, nextJob, noteProgress } from '../../store/jobs.ts';
import type { CheckJob, RunJob } from './job.ts';

export type Jobs = {
  /** Throws for what can be seen to be wrong at once. */
  start: (kind: JobKind, parameters: unknown) => Job;
  /** Ends it soon; what it did stays. Throws when it has ended already. */
  cancel: (id: number) => Job;
  /** As it is now: fresher than what is stored. */
  read: (id: number) => Job;
  /** Takes up what an earlier worker left. */
  resume: () => void;
  hasWork: () => boolean;
  close: () => Promise<void>;
};

export type JobsDeps = {
  db: Database;
  kinds: Record<JobKind, RunJob>;
  checks?: Partial<Record<JobKind, CheckJob>>;
  log: Log;
  clock: () => number;
};

type Running = { id: number; abort: AbortController; progress: JobProgress; isCancelled: boolean; end: Promise<void> };

/** Stored now and then: a worker that dies loses a second of its bar, not of its work. */
const NOTE_MS = 1000;
const RETRY_MS = 200;
const KEPT_MS = 30 * 86_400_000;
/** Other kinds begin from the beginning. */
const GOES_ON = new Set<JobKind>(['import', 'rebuild']);
const OF_THE_REST = 'It had been interrupted and was taken up again: these numbers are of what was left.';

export function createJobs({ db, kinds, checks = {}, log, clock }: JobsDeps): Jobs {
  let running: Running | null = null;
  let isClosed = false;

  const runNext = () => {
    const next = running || isClosed ? null : nextJob(db);
    if (!next) return;
    const job: Running = {
      id: next.id,
      abort: new AbortController(),
      progress: NO_PROGRESS,
      isCancelled: false,
      end: Promise.resolve(),
    };
    running = job;
    job.end = run(job, next).finally(() => {
      running = null;
      runNext();
    });
  };

  const run = async (job: Running, { kind, parameters, isBegun }: NextJob) => {
    let notedAt = performance.now();
    const note = (progress: JobProgress) => {
      notedAt = performance.now();
      try {
        noteProgress(db, job.id, progress);
      } catch (error) {
        // The database is busy with the job itself: the next report says more.
        if (!isPassing(error)) throw error;
      }
    };
    const report = (progress: JobProgress) => {
      job.progress = progress;
      if (performance.now() - notedAt >= NOTE_MS) note(progress);
    };
    note({ ...NO_PROGRESS, step: 'starting' });
    try {
      const said = await kinds[kind](parameters, {
        report,
        signal: job.abort.signal,
        pause,
        isResumed: isBegun,
      });
      const result = isBegun && GOES_ON.has(kind) ? [...said, OF_THE_REST] : said;
      note(job.progress);
      const isWhole = !job.abort.signal.aborted;
      if (isWhole || job.isCancelled) await finish(job, isWhole ? 'done' : 'cancelled', result, null);
    } catch (error) {
      if (isClosed) return;
      const isTheirs = error instanceof AskError;
      if (!isTheirs) log.error('a job failed', { job: job.id, kind, error: describe(error) });
      await finish(job, job.isCancelled ? 'cancelled' : 'failed', null, isTheirs ? sayProblem(error) : String(error));
    }
  };

  /** How it ended is not lost to a full or locked database: a worker that is closed meanwhile leaves it to the next. */
  const finish = async (
    job: Running,
    status: 'done' | 'failed' | 'cancelled',
    result: string[] | null,
    error: string | null,
  ): Promise<void> => {
    for (;;) {
      try {
        return endJob(db, job.id, { status, result, error }, clock());
      } catch (fault) {
        if (!isPassing(fault) || isClosed) throw fault;
        await Bun.sleep(RETRY_MS);
      }
    }
  };

  const read = (id: number): Job => {
    const job = getJob(db, id);
    if (!job) throw new AskError('unknown', `There is no job ${id}.`, '`claude-mem jobs` lists them.');
    return running?.id === id ? { ...job, status: 'running', progress: running.progress } : job;
  };

  return {
    read,
    start(kind, parameters) {
      // Whoever asks hears it at once, and no failed job is left.
      checks[kind]?.(parameters);
      dropOldJobs(db, clock() - KEPT_MS);
      const id = insertJob(db, kind, parameters, clock());
      runNext();
      return read(id);
    },
    cancel(id) {
      const { status } = read(id);
      if (status !== 'waiting' && status !== 'running')
        throw new AskError(
          'conflict',
          `Job ${id} has ended already: ${ENDS[status]}.`,
          '`claude-mem jobs` lists them.',
        );
      if (running?.id === id) {
        running.isCancelled = true;
        running.abort.abort();
      } else endJob(db, id, { status: 'cancelled', result: null, error: null }, clock());
      return read(id);
    },
    resume: runNext,
    hasWork: () => running !== null,
    async close() {
      isClosed = true;
      running?.abort.abort();
      await running?.end;
    },
  };
}

const ENDS = { done: 'it is done', failed: 'it failed', cancelled: 'it was cancelled' };

/** Whoever waits comes first: also what arrived on a socket meanwhile. */
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

const describe = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));
const sayProblem = ({ message, hint }: AskError) => [message, hint].filter(Boolean).join(' ');
