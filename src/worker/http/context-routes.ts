// The routes of what a session is told: what it would be now, and what one was.
import type { Hono } from 'hono';
import { z } from 'zod';
import { type PreviewDeps, previewContext, replaySession } from '../preview.ts';
import { readQuery } from './answers.ts';

export function addContextRoutes(app: Hono, deps: PreviewDeps): void {
  app.get('/api/context/preview', async (c) => {
    const asked = readQuery(c, {
      cwd: z.string().min(1).max(4096).optional(),
      project: z.string().min(1).max(4096).optional(),
      prompt: z.string().min(1).max(100_000).optional(),
      file: z.string().min(1).max(4096).optional(),
      tokens: z
        .string()
        .regex(/^\d{1,9}$/)
        .transform(Number)
        .pipe(z.number().min(200).max(10_000))
        .optional(),
    });
    return c.json(await previewContext(deps, asked));
  });
  app.get('/api/context/replay', (c) => {
    const { session } = readQuery(c, { session: z.string().min(1).max(200) });
    return c.json(replaySession(deps.db, session));
  });
}
