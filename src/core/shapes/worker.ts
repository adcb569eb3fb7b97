// What the routes about the worker itself answer: its health, its state, its index.
import { z } from 'zod';
import { OBSERVATION_TYPES } from '../observation.ts';
import { STAGES } from '../time.ts';
import { ints, numbers } from './fields.ts';
import { SilenceSchema } from './silence.ts';
import { SyncStatusSchema } from './sync.ts';

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
const SizesSchema = z.object(ints('database', 'wal', 'index', 'spool', 'logs'));

/** `slope`: how many it grows by in a minute. */
const QueueSchema = z.object({ depth: z.int(), oldestMs: z.number().nullable(), slope: z.number() });

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

const ReindexJobSchema = z
  .object({
    startedAt: z.string(),
    step: z.enum(['words', 'vectors', 'done', 'failed']),
    error: z.string().nullable(),
    done: z.int(),
    total: z.int(),
  })
  .meta({ id: 'ReindexJob' });
export type ReindexJob = z.output<typeof ReindexJobSchema>;

export const ReindexAnswerSchema = z.object({ job: ReindexJobSchema });

export const IndexStateSchema = z
  .object({
    documents: z.int(),
    models: z.array(z.object({ name: z.string(), vectors: z.int(), waiting: z.int(), problem: z.string().nullable() })),
    newestWaitingMs: z.number().nullable(),
    isWorking: z.boolean(),
    embedder: z.string(),
    problem: z.string().nullable(),
    job: ReindexJobSchema.nullable(),
  })
  .meta({ id: 'IndexState' });
export type IndexState = z.output<typeof IndexStateSchema>;

const PauseSchema = z.object({
  kind: z.enum(['transient', 'rate-limited', 'auth', 'unrecoverable']),
  until: z.number(),
  times: z.int(),
  message: z.string(),
  untilIso: z.string(),
});

const ModelStatusSchema = z.object({
  provider: z.string().nullable(),
  model: z.string().nullable(),
  why: z.string(),
  waiting: z.int(),
  quarantined: z.int(),
  pause: PauseSchema.nullable(),
  ...SpendFields,
  problems: z.array(z.string()),
});
export type ModelStatus = z.output<typeof ModelStatusSchema>;

const Counts = z.record(z.string(), z.number());

const HealthStatusSchema = z
  .enum(['ok', 'degraded', 'damaged'])
  .describe('degraded: it is there, and something is wrong. damaged: what was remembered may be gone');

export type HealthStatus = z.output<typeof HealthStatusSchema>;

const FactsSchema = z
  .object({
    freeBytes: z.number().describe('What this user can still write where the data dir lies'),
    freeFiles: z.number().nullable(),
    isFull: z.boolean().describe('Nothing new is kept'),
    hasBallast: z.boolean(),
    failedWrites: z.int(),
    failingSince: z.string().nullable(),
    writeError: z.string().nullable(),
    notKept: z.int().describe('Events that could be kept nowhere'),
    oldestMs: z.number().nullable(),
    setAside: z.int(),
    lastSuccessAt: z.string().nullable(),
    sockets: z.object({ hooks: z.boolean(), http: z.boolean() }),
    walBytes: z.int(),
    schema: z.int(),
    clockJumps: z.int(),
  })
  .meta({ id: 'Facts' });
export type Facts = z.output<typeof FactsSchema>;

const ProblemSchema = z.object({ check: z.string(), level: z.enum(['degraded', 'damaged']), problem: z.string() });
export type Problem = z.output<typeof ProblemSchema>;

export const HealthSchema = z
  .object({
    status: HealthStatusSchema,
    problems: z.array(ProblemSchema).optional().describe('What is wrong, the gravest first'),
    facts: FactsSchema.optional(),
    port: z.int().nullable().optional(),
    pid: z.int().optional(),
    version: z.string().optional(),
    activeSessions: z.int().optional(),
    uptimeMs: z.number().optional(),
    rss: z.number().optional(),
    queue: QueueSchema.optional(),
  })
  .meta({ id: 'Health' });
export type Health = z.output<typeof HealthSchema>;

export const StatusSchema = z.object({
  pid: z.int(),
  version: z.string(),
  uptimeMs: z.number(),
  rss: z.number(),
  dataDir: z.string(),
  web: z.object({
    address: z.string().nullable().describe('Where the HTTP server is; null when there is none'),
    port: z.int().describe('workerPort as it was when the worker started'),
  }),
  silences: z.array(SilenceSchema),
  observer: z.string(),
  model: ModelStatusSchema,
  health: HealthStatusSchema,
  facts: FactsSchema,
  isHealthy: z.boolean(),
  queue: z.object({ oldestMs: z.number().nullable(), ...ints('depth', 'quarantined', 'spooled') }),
  lastSuccessAt: z.string().nullable(),
  sessions: Counts,
  ...ints('observations', 'summaries'),
  sizes: SizesSchema,
  index: IndexStateSchema,
  counters: Counts,
  sync: SyncStatusSchema,
  problems: z.array(z.string()),
  fromVariables: z.array(z.string()),
});
export type Status = z.output<typeof StatusSchema>;
