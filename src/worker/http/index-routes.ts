// The routes of the index: how far it is, and making it anew.
import type { Hono } from 'hono';
import type { Indexing } from '../indexing.ts';

export function addIndexRoutes(app: Hono, { status, reindex }: Pick<Indexing, 'status' | 'reindex'>): void {
  app.get('/api/index', (c) => c.json(status()));
  app.post('/api/reindex', (c) => c.json({ job: reindex() }, 202));
}
