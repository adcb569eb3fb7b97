// The HTTP door: one Hono app, a value that a test can call, and what is said of each of its routes.
import { Hono } from 'hono';
import type { Log } from '../../log.ts';
import type { Stats } from '../watch/stats.ts';
import type { Status } from '../watch/status.ts';
import { answerError } from './answers.ts';
import { type Api, type ApiEnv, addRoute } from './route.ts';
import { StatsSchema } from './schemas/stats.ts';
import { StatusSchema } from './schemas/worker.ts';

export type HttpDeps = { readStatus: () => Status; readStats: () => Stats; log: Log };

const STATS =
  'What is kept, day by day; what the model cost, how long things took, what waits, and how large the files are.';

export function createApi({ readStatus, readStats, log }: HttpDeps): Api {
  const api: Api = { app: new Hono<ApiEnv>(), routes: [] };
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/status',
      about: 'How the worker is: what it does, what waits, what is wrong.',
      answers: { 200: StatusSchema },
    },
    ({ c }) => c.json(readStatus()),
  );
  addRoute(api, { method: 'GET', path: '/api/stats', about: STATS, answers: { 200: StatsSchema } }, ({ c }) =>
    c.json(readStats()),
  );
  api.app.onError(answerError(log));
  api.app.notFound((c) => c.json({ error: 'There is no such route.', hint: 'docs/api.md lists them.' }, 404));
  return api;
}
