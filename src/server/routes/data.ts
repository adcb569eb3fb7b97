// The routes of the data as a whole: an import of what the agents keep on this machine, an export to take away, verified backups. None
// names a file: what reads or writes where somebody says is for the socket alone.
import { z } from 'zod';
import { listCopies } from '../../backup/copies.ts';
import { AskError } from '../../core/ask-error.ts';
import { By, ProjectName } from '../../core/shapes/asked.ts';
import { BackupsAnswerSchema, ImportAnswerSchema, JobSchema } from '../../core/shapes/job.ts';
import { parseWhen } from '../../core/time.ts';
import { streamExport } from '../../import/export.ts';
import { previewImport } from '../../import/import.ts';
import { requirePerson } from '../../memory/edit.ts';
import { resolveListScope } from '../../projects/place.ts';
import { type Route, route } from '../http/route.ts';
import type { RouteDeps } from './index.ts';

const ChoiceShape = {
  agent: z.enum(['claude-code', 'codex', 'gemini']).optional().describe('Only transcripts of this agent'),
  project: ProjectName,
  since: z.string().max(100).optional().describe('Only sessions that went on after it'),
};
type Choice = { agent?: string | undefined; project?: string | undefined; since?: string | undefined };

type DataDeps = Pick<RouteDeps, 'db' | 'paths' | 'jobs' | 'choosing' | 'clock' | 'restore'>;

export function dataRoutes({ db, paths, jobs, choosing, clock, restore }: DataDeps): Route[] {
  const wanted = ({ agent, project, since }: Choice) => ({
    ...(agent === undefined ? {} : { agent }),
    ...(project === undefined ? {} : { project }),
    ...(since === undefined ? {} : { since: parseWhen(since, 'since', clock()) }),
  });
  return [
    route(
      'GET /api/import/found',
      'The transcripts that the agents keep on this machine, and that an import would read.',
      { query: ChoiceShape, answer: ImportAnswerSchema },
      ({ query }) => previewImport(choosing, wanted(query)),
    ),
    route(
      'POST /api/import/found',
      'A person has these transcripts read.',
      { body: { ...ChoiceShape, by: By }, answer: JobSchema, status: 202 },
      ({ body: { by, ...choice } }) => {
        requirePerson(by);
        return jobs.start('import', wanted(choice));
      },
    ),
    route(
      'GET /api/export',
      'The memory as lines of JSON, to be kept elsewhere: of one project, or of all.',
      { query: { project: ProjectName }, answer: 'application/x-ndjson' },
      ({ query, c }) => {
        const { project } = resolveListScope(db, query);
        const headers = { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' };
        return c.body(streamExport({ db, clock }, project), 200, headers);
      },
    ),
    route('GET /api/backups', 'The verified copies of the memory, newest first.', { answer: BackupsAnswerSchema }, () => ({
      folder: paths.backups,
      copies: listCopies(paths).map(({ path, at, size }) => ({ path, at, bytes: size })),
      restored: restore?.last ?? null,
    })),
    route(
      'POST /api/backups/restore',
      'A person has one of these copies put in the place of the memory, which is kept beside it. The worker is away meanwhile.',
      {
        body: { copy: z.string().max(4096).describe('The path of one of the copies'), by: By },
        answer: z.object({ copy: z.string() }),
        status: 202,
      },
      ({ body: { copy, by } }) => {
        requirePerson(by);
        if (!listCopies(paths).some(({ path }) => path === copy))
          throw new AskError('unknown', `There is no backup ${copy}.`, 'GET /api/backups lists them.');
        restore?.ask(copy);
        return { copy };
      },
    ),
    route(
      'POST /api/backups',
      'A person has a verified copy made, among the daily ones.',
      { body: { by: By }, answer: JobSchema, status: 202 },
      ({ body: { by } }) => {
        requirePerson(by);
        return jobs.start('backup', {});
      },
    ),
  ];
}
