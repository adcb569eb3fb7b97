// The HTTP door: one Hono app, a value that a test can call.
import { Hono } from 'hono';
import type { Log } from '../../log.ts';
import type { Stats } from '../stats.ts';
import type { Status } from '../status.ts';
import { answerError } from './answers.ts';

export type HttpDeps = {
  readStatus: () => Status | Promise<Status>;
  readStats: () => Stats;
  /** Answers what has no route here; without it nobody does. */
  askMemories?: (request: Request) => Promise<Response>;
  log: Log;
};

export function createHttpApp({ readStatus, readStats, askMemories, log }: HttpDeps): Hono {
  const app = createPlainApp(log);
  app.get('/health', (c) => c.json({ status: 'ok' }));
  app.get('/api/status', async (c) => c.json(await readStatus()));
  app.get('/api/stats', (c) => c.json(readStats()));
  if (askMemories) app.notFound((c) => askMemories(c.req.raw));
  return app;
}

/** Without routes: knows how to say that there is none, or that something failed. */
export function createPlainApp(log: Log): Hono {
  const app = new Hono();
  app.onError(answerError(log));
  app.notFound((c) => c.json({ error: 'There is no such route.', hint: 'docs/api.md lists them.' }, 404));
  return app;
}
