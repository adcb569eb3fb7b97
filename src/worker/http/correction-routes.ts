// The routes by which a person corrects a memory, and says whose memories are not to be trusted.
import type { Database } from 'bun:sqlite';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { CorrectionAnswer, DistrustAnswer } from '../../core/correction.ts';
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import { listDistrusted } from '../../store/distrust.ts';
import { correct } from '../correct.ts';
import { changeTrust } from '../distrust.ts';
import { readBody, readQuery, readRef } from './answers.ts';

export type CorrectionRoutesDeps = {
  db: Database;
  clock: () => number;
  /** What can be found has changed. */
  onStored: () => void;
};

/** Whoever does not say to be a person is an agent. */
const By = z.enum(['user', 'agent']).default('agent');

export function addCorrectionRoutes(app: Hono, { db, clock, onStored }: CorrectionRoutesDeps): void {
  app.patch('/api/observations/:id', async (c) => {
    readQuery(c, {});
    const correction = await readBody(c, {
      pinned: z.boolean().optional(),
      wrong: z.boolean().optional(),
      title: z.string().max(1000).optional(),
      narrative: z.string().max(100_000).nullable().optional(),
      facts: z.array(z.string().max(4000)).max(100).optional(),
      type: z.enum(OBSERVATION_TYPES).optional(),
      supersededBy: z
        .union([z.string().max(40), z.int().positive().transform(String)])
        .nullable()
        .optional(),
      by: By,
    });
    const answer: CorrectionAnswer = correct(db, readRef(c.req.param('id')), correction, clock());
    onStored();
    return c.json(answer);
  });
  app.post('/api/memory/distrust', async (c) => {
    const asked = await readBody(c, {
      source: z.string().min(1).max(300),
      trusted: z.boolean().default(false),
      by: By,
    });
    return c.json(changeTrust(db, asked, clock()) satisfies DistrustAnswer);
  });
  app.get('/api/memory/distrust', (c) => {
    readQuery(c, {});
    return c.json({ sources: listDistrusted(db) } satisfies DistrustAnswer);
  });
}
