// The route by which somebody says what to remember.
import type { Database } from 'bun:sqlite';
import type { Hono } from 'hono';
import { z } from 'zod';
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import { remember } from '../remember.ts';
import { readBody } from './answers.ts';

export type RememberDeps = {
  db: Database;
  clock: () => number;
  /** Something new can be found. */
  onStored: () => void;
};

export function addRememberRoutes(app: Hono, { db, clock, onStored }: RememberDeps): void {
  app.post('/api/memory/save', async (c) => {
    const said = await readBody(c, {
      text: z.string().max(100_000),
      title: z.string().max(1000).optional(),
      type: z.enum(OBSERVATION_TYPES).optional(),
      cwd: z.string().min(1).max(4096).optional(),
      project: z.string().min(1).max(4096).optional(),
      global: z.boolean().optional(),
      /** Whoever does not say to be a person is believed as an agent is. */
      by: z.enum(['user', 'agent']).default('agent'),
    });
    const answer = remember(db, said, clock());
    if (answer.isNew) onStored();
    return c.json(answer, answer.isNew ? 201 : 200);
  });
}
