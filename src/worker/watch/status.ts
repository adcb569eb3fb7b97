// What `status` tells: whether the worker makes progress, not only that it answers.
import { existsSync, readdirSync } from 'node:fs';
import type { Facts, HealthStatus } from '../../core/health.ts';
import type { Silence } from '../../core/silence.ts';
import { readCounters } from '../../store/counters.ts';
import { isStuck, readQueue } from '../../store/events/queue.ts';
import { countObservations } from '../../store/memories/observations.ts';
import { countSummaries } from '../../store/memories/summaries.ts';
import { countSessions } from '../../store/sessions/sessions.ts';
import type { IndexState } from '../index/indexing.ts';
import type { ModelStatus } from '../observing/model-observer.ts';
import { listSilences } from '../silence/silence.ts';
import { findProblems, judge, readFacts } from './health.ts';
import type { HealthFacts } from './health-checks.ts';
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
  health: HealthStatus;
  facts: Facts;
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
    queue: { depth, oldestMs, quarantined: facts.setAside, spooled: countSpooled(paths.spool) },
    lastSuccessAt: facts.lastSuccessAt,
    sessions: countSessions(db),
    observations: countObservations(db),
    summaries: countSummaries(db),
    sizes: readSizes(paths),
    index: deps.index(),
    counters: readCounters(db),
    problems: [...problems.map(({ problem }) => problem), ...model.problems],
    fromVariables: deps.fromVariables,
  };
}

const countSpooled = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')).length : 0;
