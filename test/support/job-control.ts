// What a job is given to run with, for tests that run one by itself.
import type { JobControl } from '../../src/core/job.ts';
import type { JobProgress } from '../../src/core/shapes/job.ts';
import { startClock } from './cpu-time.ts';

export type TestControl = JobControl & {
  reports: JobProgress[];
  abort: () => void;
  /** The longest that the job held up everything else, in ms. */
  longestHold: () => number;
};

export function createControl(onPause: () => void = () => undefined): TestControl {
  const abort = new AbortController();
  const reports: JobProgress[] = [];
  let [held, longest] = [startClock(), 0];
  return {
    reports,
    abort: () => abort.abort(),
    longestHold: () => longest,
    signal: abort.signal,
    isResumed: false,
    report: (progress) => reports.push(progress),
    async pause() {
      longest = Math.max(longest, held());
      onPause();
      await new Promise<void>((resolve) => setImmediate(resolve));
      held = startClock();
    },
  };
}
