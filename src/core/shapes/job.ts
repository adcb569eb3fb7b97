// What the routes of jobs and imports answer.
import { z } from 'zod';
import { JOB_KINDS } from '../job.ts';
import { PageFields } from './fields.ts';

export const JobSchema = z
  .object({
    id: z.int(),
    kind: z.enum(JOB_KINDS),
    parameters: z.record(z.string(), z.unknown()),
    status: z.enum(['waiting', 'running', 'done', 'failed', 'cancelled']),
    progress: z.object({
      step: z.string(),
      done: z.number(),
      total: z.number(),
      unit: z.enum(['bytes', 'rows']),
      counts: z.record(z.string(), z.number()),
    }),
    result: z.array(z.string()).nullable(),
    error: z.string().nullable(),
    createdAt: z.number(),
    endedAt: z.number().nullable(),
  })
  .meta({ id: 'Job' });
export type Job = z.output<typeof JobSchema>;
export type JobProgress = Job['progress'];
export type JobStatus = Job['status'];

export const JobsAnswerSchema = z.object({ jobs: z.array(JobSchema), ...PageFields });
export type JobsAnswer = z.output<typeof JobsAnswerSchema>;

export const ImportAnswerSchema = z.object({
  source: z.enum(['transcripts', 'export', 'claude-mem.db']),
  path: z.string().nullable(),
  sessions: z.record(z.string(), z.int()),
  bytes: z.int(),
  from: z.number().nullable(),
  to: z.number().nullable(),
});
export type ImportAnswer = z.output<typeof ImportAnswerSchema>;
export type ImportSource = ImportAnswer['source'];

export const BackupsAnswerSchema = z.object({
  folder: z.string(),
  copies: z.array(z.object({ path: z.string(), at: z.number(), bytes: z.int() })),
  /** The last time a copy was put back while the worker ran: where the memory of before is kept, or why nothing changed. */
  restored: z
    .object({ copy: z.string(), at: z.number(), forgotten: z.int(), keptAs: z.string().nullable(), error: z.string().nullable() })
    .nullable(),
});
export type Restored = NonNullable<BackupsAnswer['restored']>;
export type BackupsAnswer = z.output<typeof BackupsAnswerSchema>;

/** The parameters of a job of kind `import`, and of `GET /api/import`. */
export const ImportShape = {
  /** A file or a folder; without one, transcripts from where the agents keep them. */
  path: z.string().min(1).max(4096).startsWith('/').optional(),
  agent: z.string().min(1).max(100).optional(),
  project: z.string().min(1).max(4096).optional(),
  /** Epoch ms. */
  since: z.number().optional(),
  /** Claude Code's folder, where it is not ~/.claude. */
  claudeDir: z.string().min(1).max(4096).startsWith('/').optional(),
  /** The newest sessions that a model may look at, under its budget. */
  deepen: z.number().int().min(0).max(100_000).optional(),
  /** A person says that the memories in the file are their own: they come back as they were. */
  asMine: z.boolean().optional(),
};

export type ImportParameters = z.infer<z.ZodObject<typeof ImportShape>>;
