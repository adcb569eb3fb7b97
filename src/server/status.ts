// What `status` and `stats` tell: whether the worker makes progress, how much there is, what it cost, and how fast things went.
import type { Database } from 'bun:sqlite';
import { isStuck, readQueue } from '../capture/queue.ts';
import { countSessions } from '../capture/sessions.ts';
import { listSilences } from '../capture/silence.ts';
import type { IndexState, Latency, Stats, Status } from '../core/shapes/worker.ts';
import { DAY_MS, formatDate, STAGES, type Stage, startsOfDays } from '../core/time.ts';
import { countGiven } from '../memory/injections.ts';
import { countObservations } from '../memory/observations.ts';
import { countAll, countByDay } from '../memory/overview.ts';
import { countSummaries } from '../memory/summaries.ts';
import { listFolder, sizeOf } from '../own-files.ts';
import { readCounters } from '../store/counters.ts';
import { type SpendRow, spendByDay, spendByProject, spendBySessions } from '../store/model-calls.ts';
import { readSyncStatus } from '../sync/status.ts';
import { findProblems, type HealthFacts, judge, readFacts } from './health.ts';

export type StatusDeps = HealthFacts & {
  fromVariables: string[];
  /** No address: there is no viewer. */
  web: () => { address: string | null; port: number };
  index: () => IndexState;
};

export function readStatus(deps: StatusDeps): Status {
  const { db, paths, version, startedAt, clock } = deps;
  const model = deps.model.status();
  const problems = findProblems(deps);
  const facts = readFacts(deps);
  const now = clock();
  const { depth, oldestMs } = readQueue(db, now);
  return {
    pid: process.pid,
    version,
    uptimeMs: now - startedAt,
    rss: process.memoryUsage().rss,
    dataDir: paths.dataDir,
    web: deps.web(),
    silences: listSilences(db, deps.config(), now),
    observer: model.provider ?? 'local',
    model,
    health: judge(problems),
    facts,
    isHealthy: !isStuck(db, now),
    queue: { depth, oldestMs, quarantined: facts.setAside, spooled: deps.spooled().length },
    lastSuccessAt: facts.lastSuccessAt,
    sessions: countSessions(db),
    observations: countObservations(db),
    summaries: countSummaries(db),
    sizes: readSizes(deps),
    index: deps.index(),
    counters: readCounters(db),
    sync: readSyncStatus(db, paths.sync, now),
    problems: [...problems.map(({ problem }) => problem), ...model.problems],
    fromVariables: deps.fromVariables,
  };
}

const DAYS = 30;
const SPEND_DAYS = 14;
const ROWS = 10;

export type StatsDeps = Pick<HealthFacts, 'db' | 'paths' | 'spooled' | 'model' | 'queue' | 'clock'> & {
  latencies: Pick<Latencies, 'read'>;
};

export function readStats({ db, paths, spooled, model, latencies, queue, clock }: StatsDeps): Stats {
  const { spentToday, budget, exhausted } = model.status();
  const now = clock();
  return {
    counts: countAll(db),
    days: countByDay(db, { now, days: DAYS }),
    spend: {
      ...{ spentToday, budget, exhausted },
      byDay: withEmptyDays(spendByDay(db, SPEND_DAYS), now),
      byProject: spendByProject(db, ROWS),
      bySession: spendBySessions(db, ROWS),
    },
    given: countGiven(db, now - DAYS * DAY_MS),
    latencies: latencies.read(),
    queue: queue.read(),
    sizes: readSizes({ paths, spooled }),
  };
}

function withEmptyDays(rows: SpendRow[], now: number): SpendRow[] {
  const names = startsOfDays(now, SPEND_DAYS).slice(0, -1).map(formatDate).reverse();
  return names.map((name) => rows.find((row) => row.name === name) ?? { ...NOTHING, name });
}

const NOTHING = { calls: 0, input: 0, cached: 0, output: 0, observations: 0 };

const readSizes = ({ paths, spooled }: Pick<HealthFacts, 'paths' | 'spooled'>) => ({
  database: sizeOf(paths.database),
  wal: sizeOf(`${paths.database}-wal`),
  index: sizeOf(paths.indexDatabase),
  spool: sizeOfFiles(paths.spool, spooled()),
  logs: sizeOfFiles(paths.logs, listFolder(paths.logs)),
});

const SAMPLE = 500;

/** Of very many by some of them. */
function sizeOfFiles(folder: string, names: string[]): number {
  const some = names.slice(0, SAMPLE);
  const bytes = some.reduce((sum, name) => sum + sizeOf(`${folder}/${name}`), 0);
  return Math.round((bytes * names.length) / Math.max(1, some.length));
}

export type Latencies = ReturnType<typeof createLatencies>;

const KEPT = 1000;

export function createLatencies() {
  const rings = Object.fromEntries(STAGES.map((stage) => [stage, { times: new Float64Array(KEPT), count: 0 }]));
  return {
    note: (stage: Stage, ms: number) => {
      const ring = rings[stage];
      if (ring) ring.times[ring.count++ % KEPT] = ms;
    },
    read: () => {
      const read = Object.entries(rings).map(([stage, { times, count }]) => {
        const sorted = times.slice(0, Math.min(count, KEPT)).sort();
        const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
        return [stage, { p50: at(0.5), p99: at(0.99), count }];
      });
      return Object.fromEntries(read) as Record<Stage, Latency>;
    },
  };
}

const LOOK_MS = 10_000;
const KEPT_MS = 60_000;

/** Whether the queue grows or shrinks. `slope`: events that came or went per minute, over the last minute; below zero it gets shorter. */
export function createQueueTrend({ db, clock }: { db: Database; clock: () => number }) {
  let samples: { at: number; depth: number }[] = [];
  const look = () => {
    const at = performance.now();
    const queue = readQueue(db, clock());
    samples = [...samples.filter((sample) => at - sample.at <= KEPT_MS), { at, depth: queue.depth }];
    return queue;
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // The database is locked or full: whoever must know is told by others.
    }
  }, LOOK_MS);
  timer.unref();
  return {
    read() {
      const { depth, oldestMs } = look();
      const minutes = (performance.now() - (samples[0]?.at ?? 0)) / 60_000;
      // Of a moment nothing can be said.
      const isLong = minutes * 60_000 >= LOOK_MS / 2;
      return { depth, oldestMs, slope: isLong ? Math.round((depth - (samples[0]?.depth ?? 0)) / minutes) : 0 };
    },
    close: () => clearInterval(timer),
  };
}
