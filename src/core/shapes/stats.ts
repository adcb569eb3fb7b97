// What the route of the figures answers: how much there is, what it cost, how fast it was.
import { z } from 'zod';
import { OBSERVATION_TYPES } from '../observation.ts';
import { STAGES } from '../stats.ts';
import { ints, numbers } from './fields.ts';

export const SpendFields = {
  spentToday: z.object({ tokens: z.number(), calls: z.int() }),
  budget: z.object(numbers('dailyTokens', 'dailyCalls', 'sessionTokens', 'sessionCalls')),
  exhausted: z.string().nullable(),
};

const SpendRows = z.array(
  z
    .object({
      name: z.string().nullable().describe('A day, a project or a session; null for one that is no longer kept'),
      ...ints('calls', 'observations'),
      ...numbers('input', 'cached', 'output'),
    })
    .meta({ id: 'SpendRow' }),
);

const LatencySchema = z
  .object({ p50: z.number().nullable(), p99: z.number().nullable(), count: z.int() })
  .meta({ id: 'Latency', description: 'Milliseconds, over the last thousand' });

/** Bytes on the disk. */
export const SizesSchema = z.object(ints('database', 'wal', 'index', 'spool', 'logs'));

/** `slope`: how many it grows by in a minute. */
export const QueueSchema = z.object({ depth: z.int(), oldestMs: z.number().nullable(), slope: z.number() });

export const StatsSchema = z.object({
  counts: z.object(ints('observations', 'summaries', 'prompts', 'sessions', 'projects')),
  days: z.array(z.object({ day: z.string(), types: z.record(z.enum(OBSERVATION_TYPES), z.int()) })),
  spend: z.object({ ...SpendFields, byDay: SpendRows, byProject: SpendRows, bySession: SpendRows }),
  given: z
    .object({
      sessions: z.int().describe('That were given something'),
      memories: z.int().describe('That they were given, each once for a session'),
      opened: z.int().describe('Of these: the session went on to read or change a file that the memory is about'),
      edited: z.int().describe('Of these: it changed one'),
      errors: z.int().describe('Errors on which a memory was given'),
      cameBack: z.array(z.string()).describe('Fixes whose error came back, by id, the latest first'),
    })
    .describe('Of the last thirty days'),
  latencies: z.record(z.enum(STAGES), LatencySchema),
  queue: QueueSchema,
  sizes: SizesSchema,
});
export type Stats = z.output<typeof StatsSchema>;
export type Latency = z.output<typeof LatencySchema>;
export type Spent = Stats['spend']['spentToday'];
export type DayCount = Stats['days'][number];
