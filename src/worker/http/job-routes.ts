// The routes of jobs: starting one, how far it is, ending it.
import type { Database } from 'bun:sqlite';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { AskError } from '../../core/ask-error.ts';
import { JOB_KINDS, type JobsAnswer } from '../../core/job.ts';
import { listJobs } from '../../store/jobs.ts';
import type { Jobs } from '../jobs.ts';
import { readBody } from './answers.ts';

export function addJobRoutes(app: Hono, { db, jobs }: { db: Database; jobs: Jobs }): void {
  app.get('/api/jobs', (c) => c.json({ jobs: listJobs(db).map(({ id }) => jobs.read(id)) } satisfies JobsAnswer));
  app.post('/api/jobs', async (c) => {
    const { kind, parameters } = await readBody(c, {
      kind: z.enum(JOB_KINDS),
      parameters: z.record(z.string(), z.unknown()).default({}),
    });
    return c.json(jobs.start(kind, parameters), 202);
  });
  app.get('/api/jobs/:id', (c) => c.json(jobs.read(readId(c))));
  app.delete('/api/jobs/:id', (c) => c.json(jobs.cancel(readId(c))));
}

function readId(c: Context): number {
  const id = c.req.param('id') ?? '';
  if (/^\d{1,9}$/.test(id)) return Number(id);
  throw new AskError('invalid', `"${id.slice(0, 60)}" is not the number of a job.`, '`claude-mem jobs` lists them.');
}
