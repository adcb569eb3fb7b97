// The HTTP door: one Hono app, a value that a test can call.
import { Hono } from 'hono';
import type { Log } from '../../log.ts';
import type { Stats } from '../stats.ts';
import type { Status } from '../status.ts';
import { answerError } from './answers.ts';

export type HttpDeps = { readStatus: () => Status; readStats: () => Stats; log: Log };

export function createHttpApp({ readStatus, readStats, log }: HttpDeps): Hono {
  const app = new Hono();
  app.get('/health', (c) => c.json({ status: 'ok' }));
  app.get('/api/status', (c) => c.json(readStatus()));
  app.get('/api/stats', (c) => c.json(readStats()));
  app.onError(answerError(log));
  app.notFound((c) => c.json({ error: 'There is no such route.', hint: 'docs/api.md lists them.' }, 404));
  return app;
}
