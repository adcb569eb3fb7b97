// The routes of jobs: starting one, how far it is, ending it.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { AskError } from '../../../core/ask-error.ts';
import { JOB_KINDS, type JobsAnswer } from '../../../core/job.ts';
import { listJobs } from '../../../store/jobs.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { pageShape } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { JobSchema, JobsAnswerSchema } from '../schemas/job.ts';

export type JobRoutesDeps = { db: Database; jobs: Jobs };

const A_JOB = { id: 'The number of a job' };

export function addJobRoutes(api: Api, { db, jobs }: JobRoutesDeps): void {
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/jobs',
      about: 'The latest jobs, newest first.',
      query: pageShape(20),
      answers: { 200: JobsAnswerSchema },
    },
    ({ query, c }) => {
      const page = listJobs(db, query);
      return c.json({ ...page, jobs: page.jobs.map(({ id }) => jobs.read(id)) } satisfies JobsAnswer);
    },
  );
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/jobs',
      about: 'Starts a job.',
      // It names files to read and to write.
      access: 'socket',
      body: {
        kind: z.enum(JOB_KINDS).describe('What to do'),
        parameters: z.record(z.string(), z.unknown()).default({}).describe('What that job takes'),
      },
      answers: { 202: JobSchema },
    },
    ({ body, c }) => c.json(jobs.start(body.kind, body.parameters), 202),
  );
  addRoute(
    api,
    { method: 'GET', path: '/api/jobs/:id', about: 'How far a job is.', parts: A_JOB, answers: { 200: JobSchema } },
    ({ param, c }) => c.json(jobs.read(readId(param('id')))),
  );
  addRoute(
    api,
    {
      method: 'DELETE',
      path: '/api/jobs/:id',
      about: 'Ends a job soon; what it did stays.',
      parts: A_JOB,
      answers: { 200: JobSchema },
    },
    ({ param, c }) => c.json(jobs.cancel(readId(param('id')))),
  );
}

function readId(id: string): number {
  if (/^\d{1,9}$/.test(id)) return Number(id);
  throw new AskError('invalid', `"${id.slice(0, 60)}" is not the number of a job.`, '`claude-mem jobs` lists them.');
}
