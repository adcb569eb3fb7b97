// What the figures were measured on. No names of machines: they are nobody's business.
import { availableParallelism, loadavg, platform, totalmem } from 'node:os';

export type Machine = { cores: number; memoryGb: number; platform: string; bun: string; load: string };

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    platform: platform(),
    bun: Bun.version,
    load: readLoad(),
  };
}

export const readLoad = (): string =>
  loadavg()
    .map((load) => load.toFixed(2))
    .join(' ');
