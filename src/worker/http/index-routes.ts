// The routes of the index: how far it is, and making it anew.
import type { Hono } from 'hono';
import { z } from 'zod';
import type { Indexing } from '../indexing.ts';
import { readQuery } from './answers.ts';

export function addIndexRoutes(app: Hono, { status, reindex }: Pick<Indexing, 'status' | 'reindex'>): void {
  app.get('/api/index', (c) => c.json(status()));
  app.post('/api/reindex', (c) => {
    const { words } = readQuery(c, { words: z.stringbool().default(false) });
    return c.json({ job: reindex({ withWords: words }) }, 202);
  });
}
