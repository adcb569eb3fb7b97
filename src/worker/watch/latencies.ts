// How long things took lately, by stage.
import { type Latency, STAGES, type Stage } from '../../core/stats.ts';

export type Latencies = {
  note: (stage: Stage, ms: number) => void;
  read: () => Record<Stage, Latency>;
};

const KEPT = 1000;

export function createLatencies(): Latencies {
  const stages = Object.fromEntries(STAGES.map((stage) => [stage, createRing()])) as Record<Stage, Ring>;
  return {
    note: (stage, ms) => stages[stage].add(ms),
    read: () => Object.fromEntries(STAGES.map((stage) => [stage, stages[stage].read()])) as Record<Stage, Latency>,
  };
}

type Ring = { add: (ms: number) => void; read: () => Latency };

function createRing(): Ring {
  const times = new Float64Array(KEPT);
  let count = 0;
  return {
    add(ms) {
      times[count++ % KEPT] = ms;
    },
    read() {
      const sorted = times.slice(0, Math.min(count, KEPT)).sort();
      const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
      return { p50: at(0.5), p99: at(0.99), count };
    },
  };
}
