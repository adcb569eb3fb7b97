// What the routes of jobs and imports answer.
import { z } from 'zod';
import type { ImportAnswer } from '../../../core/import.ts';
import { JOB_KINDS, type Job, type JobsAnswer } from '../../../core/job.ts';
import { PageFields } from './page.ts';
import { sameAs } from './same-as.ts';

export const JobSchema = sameAs<Job>()(
  z.object({
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
  }),
).meta({ id: 'Job' });

export const JobsAnswerSchema = sameAs<JobsAnswer>()(z.object({ jobs: z.array(JobSchema), ...PageFields }));

export const ImportAnswerSchema = sameAs<ImportAnswer>()(
  z.object({
    source: z.enum(['transcripts', 'export', 'claude-mem.db']),
    path: z.string().nullable(),
    sessions: z.record(z.string(), z.int()),
    bytes: z.int(),
    from: z.number().nullable(),
    to: z.number().nullable(),
  }),
);
