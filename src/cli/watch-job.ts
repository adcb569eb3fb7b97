// Has the worker do a job and shows how far it is. To stop watching does not stop it.
import { askWorker } from '../client/api.ts';
import { type JobKind, UNREADABLE } from '../core/job.ts';
import type { Job, JobProgress } from '../core/shapes/job.ts';
import { sayCount } from '../core/text.ts';
import { findPaths, type Paths } from '../paths.ts';
import { clip, printJson } from './print.ts';

const LOOK_MS = 200;
const BAR_MS = 150;
const LINE_MS = 10_000;
const BAR_WIDTH = 24;

type RunOptions = {
  json?: boolean;
  /** Said instead of the result of one that was cancelled. */
  cancelled?: string;
};

/** Prints what came of it. Ends with 1 when it was cancelled, or could not read something, which the result names; the rest is kept. */
export async function runJob(kind: JobKind, parameters: Record<string, unknown>, { json = false, cancelled }: RunOptions): Promise<void> {
  const job = await watchJob(findPaths(), { kind, parameters }, json);
  const isCancelled = job.status === 'cancelled';
  if (isCancelled || (job.progress.counts[UNREADABLE] ?? 0) > 0) process.exitCode = 1;
  if (json) return printJson(job);
  console.log((isCancelled && cancelled) || (job.result ?? ['Cancelled.']).join('\n'));
}

/** Resolves with the job as it ended; rejects when it failed. */
export async function watchJob(paths: Paths, job: { kind: JobKind; parameters: Record<string, unknown> }, quiet = false): Promise<Job> {
  const started = await ask(paths, '/api/jobs', { method: 'POST', body: job });
  const stop = onInterrupt(() => {
    console.error(
      `\nThe worker goes on with it: \`claude-mem jobs\` says how far it is, \`claude-mem jobs cancel ${started.id}\` ends it.`,
    );
    process.exit(130);
  });
  try {
    const ended = await follow(paths, started, quiet);
    if (ended.status === 'failed') throw new Error(ended.error ?? 'It failed. Look at `claude-mem logs`.');
    return ended;
  } finally {
    stop();
  }
}

// The worker is ours: its answers keep to core/job.ts.
const ask = (paths: Paths, route: string, call?: Parameters<typeof askWorker>[2]) => askWorker(paths, route, call) as Promise<Job>;

async function follow(paths: Paths, started: Job, quiet: boolean): Promise<Job> {
  const { show, end } = createProgress();
  let job = started;
  while (isOpen(job)) {
    if (!quiet) show(job.progress);
    await Bun.sleep(LOOK_MS);
    job = await ask(paths, `/api/jobs/${job.id}`);
  }
  if (!quiet) end();
  return job;
}

export const isOpen = ({ status }: Job) => status === 'waiting' || status === 'running';

export function onInterrupt(act: () => void): () => void {
  process.on('SIGINT', act);
  return () => process.off('SIGINT', act);
}

/** How far something is: at a terminal a bar that is written over, else a line now and then, for a log. */
export function createProgress() {
  const since = performance.now();
  const { isTTY, columns } = process.stderr;
  let nextMs = isTTY ? 0 : LINE_MS;
  return {
    show(progress: JobProgress): void {
      const ms = performance.now() - since;
      if (ms < nextMs) return;
      nextMs = ms + (isTTY ? BAR_MS : LINE_MS);
      if (isTTY) process.stderr.write(`\r\x1b[K${describeProgress(progress, ms, { width: (columns || 80) - 1 })}`);
      else console.error(describeProgress(progress, ms));
    },
    end(): void {
      if (isTTY) process.stderr.write('\r\x1b[K');
    },
  };
}

/**
 * `[██████      ] 120 of 2,000 sessions · 34 MB/s · 45 s left · 12,345 events`. With a width there is a bar, and what
 * does not fit is left out.
 */
export function describeProgress(progress: JobProgress, ms: number, { width }: { width?: number } = {}): string {
  const { step, done, total, unit, counts } = progress;
  const rate = ms > 1000 ? done / (ms / 1000) : 0;
  const parts = [
    step,
    rate > 0 ? `${unit === 'bytes' ? `${(rate / 1e6).toFixed(1)} MB` : Math.round(rate).toLocaleString('en')}/s` : '',
    rate > 0 && total > done ? `${formatSeconds((total - done) / rate)} left` : '',
    ...Object.entries(counts).map(([name, count]) => sayCount(count, name)),
  ].filter(Boolean);
  if (width === undefined) return parts.join(' · ');
  return fit(drawBar(done, total), parts, width);
}

function drawBar(done: number, total: number): string {
  if (total <= 0) return '';
  return `[${'█'.repeat(Math.floor(Math.min(1, done / total) * BAR_WIDTH)).padEnd(BAR_WIDTH)}] `;
}

/** The last part goes first, the step last of all; only a step that is too long by itself is cut. */
function fit(bar: string, parts: string[], width: number): string {
  for (let count = parts.length; count > 0; count--) {
    const line = bar + parts.slice(0, count).join(' · ');
    if (Bun.stringWidth(line) <= width) return line;
  }
  return clip(parts[0] ?? '', width);
}

export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
