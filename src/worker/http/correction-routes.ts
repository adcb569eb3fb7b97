// The routes by which a person corrects a memory, and says whose memories are not to be trusted.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { CorrectionAnswer, DistrustAnswer } from '../../core/correction.ts';
import { OBSERVATION_TYPES } from '../../core/observation.ts';
import { listDistrusted } from '../../store/distrust.ts';
import { correct } from '../correct.ts';
import { changeTrust } from '../distrust.ts';
import { readRef } from './answers.ts';
import { type Api, addRoute } from './route.ts';
import { CorrectionAnswerSchema, DistrustAnswerSchema } from './schemas/memory.ts';

export type CorrectionRoutesDeps = {
  db: Database;
  clock: () => number;
  /** What can be found has changed. */
  onStored: () => void;
};

/** Whoever does not say to be a person is an agent. */
const By = z.enum(['user', 'agent']).default('agent');

/** What is not given stays. */
const CorrectionShape = {
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
};

export function addCorrectionRoutes(api: Api, { db, clock, onStored }: CorrectionRoutesDeps): void {
  addRoute(
    api,
    {
      method: 'PATCH',
      path: '/api/observations/:id',
      about: 'A person corrects an observation.',
      body: CorrectionShape,
      answers: { 200: CorrectionAnswerSchema },
    },
    ({ body, param, c }) => {
      const answer: CorrectionAnswer = correct(db, readRef(param('id')), body, clock());
      onStored();
      return c.json(answer);
    },
  );
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/memory/distrust',
      about: 'A person distrusts where memories come from, or trusts it again.',
      body: { source: z.string().min(1).max(300), trusted: z.boolean().default(false), by: By },
      answers: { 200: DistrustAnswerSchema },
    },
    ({ body, c }) => c.json(changeTrust(db, body, clock()) satisfies DistrustAnswer),
  );
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/memory/distrust',
      about: 'Whose memories are told to nobody.',
      answers: { 200: DistrustAnswerSchema },
    },
    ({ c }) => c.json({ sources: listDistrusted(db) } satisfies DistrustAnswer),
  );
}
