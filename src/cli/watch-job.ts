// Has the worker do a job and shows how far it is. To stop watching does not stop it.
import { askWorker } from '../client/api.ts';
import type { Job, JobKind, JobProgress } from '../core/job.ts';
import { sayCount } from '../core/say-count.ts';
import type { Paths } from '../paths.ts';
import { clip } from './table.ts';

const LOOK_MS = 200;
/** Not a terminal: a line now and then, for a log. */
const LINE_MS = 10_000;
const BAR_WIDTH = 24;

export type WatchOptions = {
  /** Shows nothing: for scripts. */
  quiet?: boolean;
};

/** Resolves with the job as it ended; rejects when it failed. */
export async function watchJob(
  paths: Paths,
  job: { kind: JobKind; parameters: Record<string, unknown> },
  { quiet = false }: WatchOptions = {},
): Promise<Job> {
  const started = await ask(paths, '/api/jobs', { method: 'POST', body: job });
  const stop = onInterrupt(() => {
    console.error(
      `\nThe worker goes on with it: \`claude-mem jobs\` says how far it is, \`claude-mem jobs cancel ${started.id}\` ends it.`,
    );
    process.exit(130);
  });
  try {
    const ended = await follow(paths, started, quiet ? () => undefined : process.stderr.isTTY ? showBar : showLines());
    if (!quiet && process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    if (ended.status === 'failed') throw new Error(ended.error ?? 'It failed. Look at `claude-mem logs`.');
    return ended;
  } finally {
    stop();
  }
}

// The worker is ours: its answers keep to core/job.ts.
const ask = (paths: Paths, route: string, call?: Parameters<typeof askWorker>[2]) =>
  askWorker(paths, route, call) as Promise<Job>;

async function follow(paths: Paths, started: Job, show: (progress: JobProgress, ms: number) => void): Promise<Job> {
  const since = performance.now();
  let job = started;
  while (isOpen(job)) {
    show(job.progress, performance.now() - since);
    await Bun.sleep(LOOK_MS);
    job = await ask(paths, `/api/jobs/${job.id}`);
  }
  return job;
}

export const isOpen = ({ status }: Job) => status === 'waiting' || status === 'running';

function onInterrupt(act: () => void): () => void {
  process.on('SIGINT', act);
  return () => process.off('SIGINT', act);
}

function showBar(progress: JobProgress, ms: number): void {
  const width = (process.stderr.columns || 80) - 1;
  process.stderr.write(`\r\x1b[K${describeProgress(progress, ms, { width })}`);
}

function showLines(): (progress: JobProgress, ms: number) => void {
  let nextAt = LINE_MS;
  return (progress, ms) => {
    if (ms < nextAt) return;
    nextAt = ms + LINE_MS;
    console.error(describeProgress(progress, ms));
  };
}

/** `[██████      ] 120 of 2,000 sessions · 34 MB/s · 45 s left · 12,345 events`. With a width there is a bar, and what does not fit is left out. */
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
