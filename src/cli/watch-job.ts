// Has the worker do a job and shows how far it is. To stop watching does not stop it.
import { askWorker } from '../client/api.ts';
import { type JobKind, UNREADABLE } from '../core/job.ts';
import type { Job, JobProgress } from '../core/shapes/job.ts';
import { sayCount } from '../core/text.ts';
import { canMove } from '../environment.ts';
import { findPaths } from '../paths.ts';
import type { Outcome } from './command.ts';
import { clip } from './print.ts';

const LOOK_MS = 200;
const BAR_MS = 150;
const LINE_MS = 10_000;
const BAR_WIDTH = 24;

/** Ends with 1 when it was cancelled, or could not read something, which the result names; the rest is kept. */
export async function runJob(
  kind: JobKind,
  parameters: Record<string, unknown>,
  { json = false, cancelled = '' }: { json?: boolean; cancelled?: string },
): Promise<Outcome> {
  const job = await watchJob(kind, parameters, json);
  const isCancelled = job.status === 'cancelled';
  if (isCancelled || (job.progress.counts[UNREADABLE] ?? 0) > 0) process.exitCode = 1;
  return { answer: job, text: () => (isCancelled && cancelled) || (job.result ?? ['Cancelled.']).join('\n') };
}

export async function watchJob(kind: JobKind, parameters: Record<string, unknown>, isQuiet = false): Promise<Job> {
  let job = await askJob('', { method: 'POST', body: { kind, parameters } });
  const { id } = job;
  const stop = onInterrupt(`The worker continues: \`claude-mem jobs\` shows the progress, \`claude-mem jobs cancel ${id}\` ends it.`);
  const { show, end } = createProgress(isQuiet);
  while (isOpen(job)) {
    show(job.progress);
    await Bun.sleep(LOOK_MS);
    job = await askJob(`/${id}`);
  }
  end();
  stop();
  if (job.status === 'failed') throw new Error(job.error ?? 'It failed. Look at `claude-mem logs`.');
  return job;
}

export const askJob = (path: string, call?: Parameters<typeof askWorker>[2]) => askWorker<Job>(findPaths(), `/api/jobs${path}`, call);

export const isOpen = ({ status }: Job) => status === 'waiting' || status === 'running';

/** As a shell says it of Ctrl-C. */
export const INTERRUPTED = 130;

export function onInterrupt(text: string): () => void {
  const act = () => {
    console.error(`\n${text}`);
    process.exit(INTERRUPTED);
  };
  process.on('SIGINT', act);
  return () => process.off('SIGINT', act);
}

/** At a terminal says after a second that something goes on, and for how long. */
export async function waitFor<T>(step: string, work: Promise<T>, isQuiet = false): Promise<T> {
  const { columns } = process.stderr;
  if (isQuiet || !canMove(process.stderr)) return work;
  const since = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.floor((performance.now() - since) / 1000);
    if (seconds > 0) process.stderr.write(`\r\x1b[K${clip(`${step} · ${seconds} s`, (columns || 80) - 1)}`);
  }, BAR_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (performance.now() - since > 1000) process.stderr.write('\r\x1b[K');
  }
}

/** How far something is: at a terminal a bar that is written over, else a line now and then, for a log. */
export function createProgress(isQuiet = false) {
  const since = performance.now();
  const { columns } = process.stderr;
  const isBar = canMove(process.stderr);
  let nextMs = isBar ? 0 : LINE_MS;
  return {
    show(progress: JobProgress): void {
      const ms = performance.now() - since;
      if (isQuiet || ms < nextMs) return;
      nextMs = ms + (isBar ? BAR_MS : LINE_MS);
      if (isBar) process.stderr.write(`\r\x1b[K${describeProgress(progress, ms, { width: (columns || 80) - 1 })}`);
      else console.error(describeProgress(progress, ms));
    },
    end(): void {
      if (isBar && !isQuiet) process.stderr.write('\r\x1b[K');
    },
  };
}

/**
 * `[██████      ] 120 of 2,000 sessions · 34 MB/s · 45 s left · 12,345 events`. With a width there is a bar, and what
 * does not fit is left out: the last part first, the step last of all.
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
  const filled = '█'.repeat(Math.floor(Math.min(1, done / total) * BAR_WIDTH));
  const bar = total > 0 ? `[${filled.padEnd(BAR_WIDTH)}] ` : '';
  const lines = parts.map((_, at) => bar + parts.slice(0, at + 1).join(' · '));
  return lines.findLast((line) => Bun.stringWidth(line) <= width) ?? clip(step, width);
}

export function formatSeconds(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}
