// What records of turns cost: bytes for each, how much larger they make both databases; and a rebuild of all of them while somebody works.
import { Database } from 'bun:sqlite';
import { cpSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { askWorker } from '../../src/client/api.ts';
import type { JobKind } from '../../src/core/job.ts';
import type { Job } from '../../src/core/shapes/job.ts';
import { openStore } from '../../src/store/open.ts';
import { expireRecords } from '../../src/turns/turns.ts';
import { until } from '../../test/support/until.ts';
import type { BenchHome } from '../spine/bench-home.ts';
import { atLeast, atMost, type BenchDeps, type Benchmark, check, type Figure } from '../spine/benchmark.ts';
import { median, quantile } from '../spine/quantile.ts';
import { writeHistory } from './history.ts';
import { probeHooks } from './probe-hooks.ts';

export const records: Benchmark = {
  name: 'records',
  about: 'records of 700 turns: bytes, growth of both databases, a rebuild of them',
  run: measureRecords,
};

const SESSIONS = 300;
const QUICK_SESSIONS = 30;
const GOAL_TURNS_S = 300;
/** A hook waits no longer before it spools. */
const GOAL_ACK_MS = 300;
const PATIENCE_MS = 20 * 60_000;

async function measureRecords(deps: BenchDeps): Promise<Figure[]> {
  const { makeHome, isQuick, say } = deps;
  const home = makeHome();
  await useStatic(home);
  say('writing and importing a past');
  writeHistory(home.home, isQuick ? QUICK_SESSIONS : SESSIONS, { isTalkative: true });
  await home.startWorker();
  await runJob(home, 'import');
  const bytes = listBytes(home);
  say('measuring both databases with and without records');
  const [grown, bare] = [await sizesOf(home, makeHome(), false), await sizesOf(home, makeHome(), true)];
  await home.startWorker();
  const same = await timeRebuild(home, say);
  check(same.job.progress.counts.documents === 0, 'a fresh store needs no rebuild');
  await dropDocuments(home);
  const all = await timeRebuild(home, say);
  check((all.job.progress.counts.documents ?? 0) > 0, 'nothing was made again');
  return [...describeSizes(bytes, grown, bare), ...describeRebuild(bytes.length, same, all)];
}

function describeSizes(bytes: number[], grown: Sizes, bare: Sizes): Figure[] {
  const [p50, p95] = [median(bytes), quantile(bytes, 0.95)];
  const growth = (name: keyof Sizes): Figure => ({
    what: `${name}.db with records`,
    figure: `${(grown[name] / 1e6).toFixed(1)} MB, ${Math.round((grown[name] - bare[name]) / bytes.length)} bytes more for each turn`,
    ratio: { value: grown[name] / bare[name], to: 'without them' },
    goal: null,
    values: { withRecords: grown[name], without: bare[name], perTurn: (grown[name] - bare[name]) / bytes.length },
  });
  return [
    {
      what: `the record of a turn (${bytes.length} turns)`,
      figure: `p50 ${Math.round(p50)} bytes, p95 ${Math.round(p95)} bytes`,
      ratio: null,
      goal: null,
      values: { p50, p95, turns: bytes.length },
    },
    growth('memory'),
    growth('index'),
  ];
}

type Timed = { job: Job; ms: number; acks: number[] };

function describeRebuild(turns: number, same: Timed, all: Timed): Figure[] {
  const rate = (one: Timed) => turns / (one.ms / 1000);
  const acks = [...same.acks, ...all.acks];
  return [
    {
      what: 'rebuild of a store that is as it should be',
      figure: `${Math.round(rate(same))} turns/s`,
      ratio: null,
      goal: atLeast(rate(same), GOAL_TURNS_S, ' turns/s'),
      values: { rate: rate(same) },
    },
    {
      what: `rebuild with every document made again (${all.job.progress.counts.documents})`,
      figure: `${Math.round(rate(all))} turns/s`,
      ratio: null,
      goal: atLeast(rate(all), GOAL_TURNS_S, ' turns/s'),
      values: { rate: rate(all) },
    },
    {
      what: 'ack of a hook meanwhile',
      figure: `p50 ${quantile(acks, 0.5).toFixed(1)} ms, p95 ${quantile(acks, 0.95).toFixed(1)} ms (${acks.length} hooks)`,
      ratio: null,
      goal: atMost(quantile(acks, 0.95), GOAL_ACK_MS, ' ms'),
      values: { p50: quantile(acks, 0.5), p95: quantile(acks, 0.95) },
    },
  ];
}

/** The embedder that needs no minutes: what records add to it is told as a ratio. */
async function useStatic({ paths }: BenchHome): Promise<void> {
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(paths.config, JSON.stringify({ embedder: 'static' }), { mode: 0o600 });
}

async function runJob(home: BenchHome, kind: JobKind): Promise<Job> {
  // The worker is ours: its answers keep to core/job.ts.
  const ask = (route: string, call?: object) => askWorker(home.paths, route, call) as Promise<Job>;
  const { id } = await ask('/api/jobs', { method: 'POST', body: { kind } });
  const job = await until(async () => {
    const now = await ask(`/api/jobs/${id}`);
    return now.status === 'running' || now.status === 'waiting' ? null : now;
  }, PATIENCE_MS);
  check(job.status === 'done', `${kind} ended as ${job.status}: ${job.error}`);
  return job;
}

async function timeRebuild(home: BenchHome, say: (line: string) => void): Promise<Timed> {
  const probe = probeHooks(home);
  const started = performance.now();
  const job = await runJob(home, 'rebuild');
  const ms = performance.now() - started;
  const acks = await probe.end();
  for (const line of job.result ?? []) say(line);
  return { job, ms, acks };
}

function listBytes({ paths }: BenchHome): number[] {
  const db = new Database(paths.database, { readonly: true });
  const rows = db.query<{ bytes: number }, []>('SELECT length(CAST(record AS BLOB)) AS bytes FROM turns').all();
  db.close();
  return rows.map(({ bytes }) => bytes);
}

type Sizes = { memory: number; index: number };

/** Of a copy, packed, with all vectors. */
async function sizesOf(home: BenchHome, copy: BenchHome, isBare: boolean): Promise<Sizes> {
  await home.stopWorker();
  await useStatic(copy);
  cpSync(home.paths.database, copy.paths.database);
  const db = openStore(copy.paths.database);
  if (isBare) for (let gone = 1; gone > 0; ) gone = db.transaction(() => expireRecords(db, Date.now() * 2, 50)).immediate();
  db.close();
  await copy.startWorker();
  await until(async () => {
    const { documents, models } = (await askWorker(copy.paths, '/api/index')) as IndexState;
    return documents > 0 && models.length > 0 && models.every(({ waiting }) => waiting === 0);
  }, PATIENCE_MS);
  await runJob(copy, 'vacuum');
  await copy.stopWorker();
  return { memory: sizeOf(copy.paths.database), index: sizeOf(copy.paths.indexDatabase) };
}

type IndexState = { documents: number; models: { waiting: number }[] };
const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : 0);

async function dropDocuments(home: BenchHome): Promise<void> {
  await home.stopWorker();
  const db = openStore(home.paths.database);
  db.run('DELETE FROM documents');
  db.close();
  await home.startWorker();
}
