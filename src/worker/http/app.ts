// The HTTP door: one Hono app, a value that a test can call.
import { Hono } from 'hono';
import type { Stats } from '../stats.ts';
import type { Status } from '../status.ts';

export type HttpDeps = { readStatus: () => Status; readStats: () => Stats };

export function createHttpApp({ readStatus, readStats }: HttpDeps): Hono {
  const app = new Hono();
  app.get('/health', (c) => c.json({ status: 'ok' }));
  app.get('/api/status', (c) => c.json(readStatus()));
  app.get('/api/stats', (c) => c.json(readStats()));
  app.notFound((c) => c.json({ error: 'There is no such route.' }, 404));
  return app;
}
