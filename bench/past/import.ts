// A past of 2,000 sessions, read by a real worker that is killed in the middle: how fast, in how much memory, and whether all of it is there.
import { readdirSync, readFileSync } from 'node:fs';
import { askWorker, callApi } from '../../src/client/api.ts';
import type { Job } from '../../src/core/shapes/job.ts';
import type { Paths } from '../../src/paths.ts';
import { isAlive } from '../../test/e2e/processes.ts';
import { until } from '../../test/support/until.ts';
import type { BenchHome } from '../spine/bench-home.ts';
import { atLeast, atMost, type BenchDeps, type Benchmark, check, type Figure } from '../spine/benchmark.ts';
import { quantile } from '../spine/quantile.ts';
import { type History, writeHistory } from './history.ts';
import { probeHooks } from './probe-hooks.ts';

export const importPast: Benchmark = {
  name: 'import',
  about: 'a past of 2,000 sessions (1 GB) read from transcripts, with kill -9 in the middle',
  run: measureImport,
};

const SESSIONS = 2000;
const QUICK_SESSIONS = 60;
const GOAL_MB_S = 20;
const GOAL_RSS_MB = 300;
/** A hook waits no longer before it spools. */
const GOAL_ACK_MS = 300;
const KILLED_AT = 0.4;
const LOOK_MS = 100;
const PATIENCE_MS = 20 * 60_000;

async function measureImport({ makeHome, isQuick, say }: BenchDeps): Promise<Figure[]> {
  const home = makeHome();
  const sessions = isQuick ? QUICK_SESSIONS : SESSIONS;
  say(`writing ${sessions} sessions`);
  const history = writeHistory(home.home, sessions);
  const whole = await readAll(home, history, say);
  checkWhole(home, history);
  const rate = history.bytes / 1e6 / (whole.ms / 1000);
  const size = `${(history.bytes / 1e6).toFixed(0)} MB, ${sessions} sessions`;
  return [
    {
      what: `import of ${size}, killed and taken up again in between`,
      figure: `${rate.toFixed(1)} MB/s (${(whole.ms / 1000).toFixed(1)} s, ${Math.round((history.tools / whole.ms) * 1000)} tools/s)`,
      ratio: null,
      goal: atLeast(rate, GOAL_MB_S, ' MB/s'),
      values: { rate, ms: whole.ms, bytes: history.bytes, tools: history.tools },
    },
    {
      what: 'RSS meanwhile, worker and its importing processes together',
      figure: `${whole.rss.toFixed(0)} MB at most (worker alone ${whole.worker.toFixed(0)} MB)`,
      ratio: null,
      goal: atMost(whole.rss, GOAL_RSS_MB, ' MB'),
      values: { rss: whole.rss, worker: whole.worker },
    },
    {
      what: 'ack of a hook meanwhile',
      figure: `p50 ${quantile(whole.acks, 0.5).toFixed(1)} ms, p95 ${quantile(whole.acks, 0.95).toFixed(1)} ms (${whole.acks.length} hooks)`,
      ratio: null,
      goal: atMost(quantile(whole.acks, 0.95), GOAL_ACK_MS, ' ms'),
      values: { p50: quantile(whole.acks, 0.5), p95: quantile(whole.acks, 0.95) },
    },
    {
      what: 'database afterwards',
      figure: `${(whole.database / 1e6).toFixed(1)} MB`,
      ratio: { value: whole.database / history.bytes, to: 'the transcripts' },
      goal: null,
      values: { database: whole.database },
    },
  ];
}

type Watched = { ms: number; rss: number; worker: number };

async function readAll(home: BenchHome, history: History, say: (line: string) => void) {
  const first = await home.startWorker();
  // The worker is ours: its answers keep to core/job.ts.
  const job = (await askWorker(home.paths, '/api/jobs', { method: 'POST', body: { kind: 'import' } })) as Job;
  say(`reading ${(history.bytes / 1e6).toFixed(0)} MB`);
  const probe = probeHooks(home);
  const before = await watch(home.paths, job.id, first, ({ progress }) => progress.done > KILLED_AT * progress.total);
  const acks = await probe.end();
  const children = childrenOf(first);
  process.kill(first, 'SIGKILL');
  await until(() => ![first, ...children].some(isAlive));
  say('killed; starting again');
  const second = await home.startWorker();
  const after = await watch(home.paths, job.id, second, ({ status }) => status !== 'running' && status !== 'waiting');
  const ended = (await askWorker(home.paths, `/api/jobs/${job.id}`)) as Job;
  check(ended.status === 'done', `the import ended as ${ended.status}: ${ended.error}`);
  for (const line of ended.result ?? []) say(line);
  return {
    ms: before.ms + after.ms,
    rss: Math.max(before.rss, after.rss),
    worker: Math.max(before.worker, after.worker),
    acks,
    database: home.count('SELECT page_count * page_size AS n FROM pragma_page_count(), pragma_page_size()'),
  };
}

async function watch(paths: Paths, id: number, pid: number, isOver: (job: Job) => boolean): Promise<Watched> {
  const started = performance.now();
  const seen = { rss: 0, worker: 0 };
  const look = async () => {
    const worker = readRss(pid);
    seen.worker = Math.max(seen.worker, worker);
    seen.rss = Math.max(seen.rss, worker + childrenOf(pid).reduce((sum, child) => sum + readRss(child), 0));
    const job = (await callApi(paths, `/api/jobs/${id}`)) as Job | null;
    return job !== null && isOver(job);
  };
  while (!(await look())) {
    check(performance.now() - started < PATIENCE_MS, 'the import does not end');
    await Bun.sleep(LOOK_MS);
  }
  return { ms: performance.now() - started, ...seen };
}

/** In MB; 0 when it has ended. */
function readRss(pid: number): number {
  try {
    const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kb ?? 0) / 1024;
  } catch {
    // It ended between being listed and being looked at.
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((child) => parentOf(child) === pid);
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

function checkWhole(home: BenchHome, { sessions, tools, prompts }: History): void {
  const count = (sql: string) => home.count(`SELECT count(*) AS n FROM ${sql}`);
  // One more, and its tools, is of whoever worked meanwhile.
  check(count('sessions') === sessions + 1, `${count('sessions')} of ${sessions + 1} sessions are there`);
  const stored = count("events WHERE kind = 'tool' AND provenance LIKE 'transcript:%'");
  check(stored === tools, `${stored} tools are stored, ${tools} were done`);
  check(count('prompts') === prompts, `${count('prompts')} of ${prompts} prompts are there`);
  check(count("events WHERE status IN ('pending','claimed') AND provenance LIKE 'transcript:%'") === 0, 'something is left in the queue');
  check(count('summaries') === prompts, `${count('summaries')} summaries of ${prompts} turns`);
}
