// What the dashboard is told by the worker, as far as it shows it.

import type { ObservationType } from '../../../../src/core/observation.ts';
import type { Silence } from '../../../../src/core/shapes/silence.ts';
import type { DayCount, Latency, Spent } from '../../../../src/core/shapes/stats.ts';
import type { Stage } from '../../../../src/core/stats.ts';

/** Of a day: `2026-11-16`. */
export type SpendDay = { name: string | null; calls: number; input: number; cached: number; output: number };

export type Stats = {
  counts: { observations: number; prompts: number };
  /** The last thirty. */
  days: DayCount[];
  latencies: Record<Stage, Latency>;
  sizes: Sizes;
  spend: {
    spentToday: Spent;
    budget: { dailyTokens: number; dailyCalls: number };
    exhausted: string | null;
    /** The last fourteen. */
    byDay: SpendDay[];
  };
};

export type Sizes = { database: number; wal: number; index: number; spool: number; logs: number };

export type Status = {
  pid: number;
  version: string;
  uptimeMs: number;
  rss: number;
  dataDir: string;
  silences: Silence[];
  model: {
    provider: string | null;
    model: string | null;
    why: string;
    waiting: number;
    quarantined: number;
    pause: { kind: string; message: string; until: number } | null;
    exhausted: string | null;
  };
  isHealthy: boolean;
  health: 'ok' | 'degraded' | 'damaged';
  queue: { depth: number; oldestMs: number | null; quarantined: number; spooled: number };
  lastSuccessAt: string | null;
  sessions: Record<string, number>;
  observations: number;
  summaries: number;
  index: { documents: number; models: { name: string; waiting: number }[]; problem: string | null };
  counters: Record<string, number>;
  problems: string[];
};

/** In the order in which they are stacked; each has its colour in tokens.css. */
export const TYPES: ObservationType[] = ['decision', 'bugfix', 'feature', 'refactor', 'discovery', 'change'];
