// The worker's status as the CLI reads it.
import { z } from 'zod';
import { callApi } from '../client/api.ts';
import type { Paths } from '../paths.ts';
import { IndexState } from './worker-index.ts';

const SilenceShape = z.object({
  kind: z.enum(['paused', 'off', 'excluded']),
  scope: z.enum(['everything', 'project', 'session']),
  name: z.string(),
  since: z.number().nullable(),
  until: z.number().nullable(),
  reason: z.string().optional(),
});

const WorkerStatus = z.object({
  pid: z.number(),
  version: z.string(),
  uptimeMs: z.number(),
  rss: z.number(),
  dataDir: z.string(),
  // A worker of the version before has none.
  web: z.object({ address: z.string().nullable(), port: z.number() }).default({ address: null, port: 0 }),
  // A worker of the version before knows of none.
  silences: z.array(SilenceShape).default([]),
  observer: z.string(),
  model: z.object({
    provider: z.string().nullable(),
    model: z.string().nullable(),
    why: z.string(),
    waiting: z.number(),
    quarantined: z.number(),
    pause: z.object({ kind: z.string(), untilIso: z.string(), message: z.string() }).nullable(),
    spentToday: z.object({ tokens: z.number(), calls: z.number() }),
    budget: z.object({ dailyTokens: z.number(), dailyCalls: z.number() }),
    exhausted: z.string().nullable(),
  }),
  health: z.enum(['ok', 'degraded', 'damaged']),
  facts: z.object({
    freeBytes: z.number(),
    isFull: z.boolean(),
    failedWrites: z.number(),
    notKept: z.number(),
    setAside: z.number(),
    sockets: z.object({ hooks: z.boolean(), http: z.boolean() }),
    walBytes: z.number(),
    schema: z.number(),
    clockJumps: z.number(),
  }),
  queue: z.object({
    depth: z.number(),
    oldestMs: z.number().nullable(),
    quarantined: z.number(),
    spooled: z.number(),
  }),
  lastSuccessAt: z.string().nullable(),
  sessions: z.record(z.string(), z.number()),
  observations: z.number(),
  summaries: z.number(),
  sizes: z.object({ database: z.number(), wal: z.number(), spool: z.number(), logs: z.number() }),
  index: IndexState,
  counters: z.record(z.string(), z.number()),
  problems: z.array(z.string()),
  fromVariables: z.array(z.string()),
});
export type WorkerStatus = z.infer<typeof WorkerStatus>;

export async function fetchStatus(paths: Paths): Promise<WorkerStatus | null> {
  const answer = await callApi(paths, '/api/status');
  if (answer === null) return null;
  const { success, data } = WorkerStatus.safeParse(answer);
  if (success) return data;
  throw new Error('The running worker is of another version and cannot be asked. Run `claude-mem restart`.');
}
