// The route by which somebody says what to remember.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import { remember } from '../remember.ts';
import { type Api, addRoute } from './route.ts';
import { SaveAnswerSchema } from './schemas/memory.ts';

export type RememberDeps = {
  db: Database;
  clock: () => number;
  /** Something new can be found. */
  onStored: () => void;
};

export function addRememberRoutes(api: Api, { db, clock, onStored }: RememberDeps): void {
  const spec = {
    method: 'POST',
    path: '/api/memory/save',
    about: 'Keeps a text as an observation.',
    body: {
      text: z.string().max(100_000),
      title: z.string().max(1000).optional(),
      type: z.enum(OBSERVATION_TYPES).optional(),
      cwd: z.string().min(1).max(4096).optional(),
      project: z.string().min(1).max(4096).optional(),
      global: z.boolean().optional(),
      /** Whoever does not say to be a person is believed as an agent is. */
      by: z.enum(['user', 'agent']).default('agent'),
    },
    answers: { 200: SaveAnswerSchema, 201: SaveAnswerSchema },
  } as const;
  addRoute(api, spec, ({ body: said, c }) => {
    const answer = remember(db, said, clock());
    if (answer.isNew) onStored();
    return c.json(answer, answer.isNew ? 201 : 200);
  });
}
