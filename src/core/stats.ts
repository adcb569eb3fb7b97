// What `GET /api/stats` tells: how much there is, what it cost, how fast it was. The contract of the dashboard.
import type { ObservationType } from './observation.ts';

/** ack: a hook's line read until its commit. queueWait: the arrival of a turn's last event until the turn is distilled. observe: the distilling of a turn. index: a batch of vectors. note: what a prompt is given; lateNote: what was not ready in time, and left out. */
export const STAGES = ['ack', 'queueWait', 'observe', 'index', 'note', 'lateNote'] as const;
export type Stage = (typeof STAGES)[number];

/** Over the last thousand; null when there was none since the worker started. */
export type Latency = { p50: number | null; p99: number | null; count: number };

export type DayCount = {
  /** `2026-11-16`, local time. */
  day: string;
  types: Record<ObservationType, number>;
};
