// How much there is, what the model was paid against the budget, and how fast things went.
import type { Database } from 'bun:sqlite';
import { DAY_MS, startsOfDays } from '../../core/local-days.ts';
import { formatDate } from '../../core/local-time.ts';
import type { DayCount, Latency, Stage } from '../../core/stats.ts';
import type { Paths } from '../../paths.ts';
import { type Counts, countAll, countByDay } from '../../store/memories/day-counts.ts';
import { type SpendRow, spendByDay, spendByProject, spendBySessions } from '../../store/spending/spend.ts';
import { countGiven, type GivenCounts } from '../../store/trust/tellings.ts';
import type { ModelStatus } from '../observing/model-observer.ts';
import type { Latencies } from './latencies.ts';
import type { QueueTrend } from './queue-trend.ts';
import { readSizes, type Sizes } from './sizes.ts';

export type Stats = {
  counts: Counts;
  /** Observations of the last thirty days, oldest first. */
  days: DayCount[];
  spend: Pick<ModelStatus, 'spentToday' | 'budget' | 'exhausted'> & {
    /** The last fourteen, newest first, also those without any. */
    byDay: SpendRow[];
    byProject: SpendRow[];
    bySession: SpendRow[];
  };
  /** Of the last thirty days. */
  given: GivenCounts;
  latencies: Record<Stage, Latency>;
  queue: ReturnType<QueueTrend['read']>;
  sizes: Sizes;
};

export type StatsDeps = {
  db: Database;
  paths: Paths;
  model: () => ModelStatus;
  latencies: Pick<Latencies, 'read'>;
  queue: Pick<QueueTrend, 'read'>;
  clock: () => number;
};

const DAYS = 30;
const SPEND_DAYS = 14;
const ROWS = 10;

/** Counts and days of these projects; null for all. The rest is the worker's, whichever project it was for. */
export function readStats(deps: StatsDeps, projectIds: number[] | null = null): Stats {
  const { db, paths, model, latencies, queue, clock } = deps;
  const { spentToday, budget, exhausted } = model();
  const now = clock();
  return {
    counts: countAll(db, projectIds),
    days: countByDay(db, { now, days: DAYS, projectIds }),
    spend: {
      spentToday,
      budget,
      exhausted,
      byDay: withEmptyDays(spendByDay(db, SPEND_DAYS), now),
      byProject: spendByProject(db, ROWS),
      bySession: spendBySessions(db, ROWS),
    },
    given: countGiven(db, now - DAYS * DAY_MS),
    latencies: latencies.read(),
    queue: queue.read(),
    sizes: readSizes(paths),
  };
}

function withEmptyDays(rows: SpendRow[], now: number): SpendRow[] {
  const names = startsOfDays(now, SPEND_DAYS).slice(0, -1).map(formatDate).reverse();
  return names.map((name) => rows.find((row) => row.name === name) ?? { ...NOTHING, name });
}

const NOTHING = { calls: 0, input: 0, cached: 0, output: 0, observations: 0 };
