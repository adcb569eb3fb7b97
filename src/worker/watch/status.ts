// What `status` tells: whether the worker makes progress, not only that it answers.
import { existsSync, readdirSync } from 'node:fs';
import type { Silence } from '../../core/silence.ts';
import { readCounters } from '../../store/counters.ts';
import { lastDistilledAt } from '../../store/events/batches.ts';
import { isStuck, readQueue } from '../../store/events/queue.ts';
import { countObservations } from '../../store/memories/observations.ts';
import { countSummaries } from '../../store/memories/summaries.ts';
import { countSessions } from '../../store/sessions/sessions.ts';
import type { IndexState } from '../index/indexing.ts';
import type { ModelStatus } from '../observing/model-observer.ts';
import { listSilences } from '../silence/silence.ts';
import { findProblems, type HealthFacts } from './health.ts';
import { readSizes, type Sizes } from './sizes.ts';

export type Status = {
  pid: number;
  version: string;
  uptimeMs: number;
  rss: number;
  dataDir: string;
  /** The web door; the port is the one that the settings named when the worker started, the address where it is in truth. */
  web: WebState;
  /** What is paused or off just now. */
  silences: Silence[];
  /** Whose results stand in the end. */
  observer: string;
  model: ModelStatus;
  /** False when a turn that ended is not distilled. */
  isHealthy: boolean;
  queue: { depth: number; oldestMs: number | null; quarantined: number; spooled: number };
  lastSuccessAt: string | null;
  sessions: Record<string, number>;
  observations: number;
  summaries: number;
  sizes: Sizes;
  index: IndexState;
  counters: Record<string, number>;
  problems: string[];
  /** The settings that a variable decides, whatever config.json says. */
  fromVariables: string[];
};

/** No address: there is no web door. */
export type WebState = { address: string | null; port: number };

export type StatusDeps = HealthFacts & {
  version: string;
  startedAt: number;
  fromVariables: string[];
  web: () => WebState;
  index: () => IndexState;
  lastSuccessAt: () => number | null;
};

export function readStatus(deps: StatusDeps): Status {
  const { db, paths, version, startedAt, lastSuccessAt, clock } = deps;
  const model = deps.model.status();
  const problems = findProblems(deps).map(({ problem }) => problem);
  const now = clock();
  const queue = readQueue(db, now);
  const success = lastSuccessAt() ?? lastDistilledAt(db);
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
    isHealthy: !isStuck(db, now),
    queue: {
      ...queue,
      quarantined: queue.quarantined + countSpooled(`${paths.spool}/bad`),
      spooled: countSpooled(paths.spool),
    },
    lastSuccessAt: success === null ? null : new Date(success).toISOString(),
    sessions: countSessions(db),
    observations: countObservations(db),
    summaries: countSummaries(db),
    sizes: readSizes(paths),
    index: deps.index(),
    counters: readCounters(db),
    problems: [...problems, ...model.problems],
    fromVariables: deps.fromVariables,
  };
}

const countSpooled = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')).length : 0;
