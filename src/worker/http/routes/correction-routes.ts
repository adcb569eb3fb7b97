// The routes by which a person corrects a memory, and says whose memories are not to be trusted.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import type { CorrectionAnswer, DistrustAnswer, ReplaceAnswer } from '../../../core/correction.ts';
import { OBSERVATION_TYPES } from '../../../core/observation.ts';
import { listDistrusted } from '../../../store/trust/distrust.ts';
import { correct } from '../../corrections/correct.ts';
import { changeTrust } from '../../corrections/distrust.ts';
import { replaceMemory } from '../../corrections/replace.ts';
import { readRef } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { CorrectionAnswerSchema, DistrustAnswerSchema, ReplaceAnswerSchema } from '../schemas/memory.ts';

export type CorrectionRoutesDeps = {
  db: Database;
  clock: () => number;
  /** What can be found has changed. */
  onStored: () => void;
};

/** Whoever does not say to be a person is an agent. */
const By = z.enum(['user', 'agent']).default('agent').describe('Who says so; only a person may');

const Id = z.union([z.string().min(1).max(40), z.int().positive().transform(String)]);

/** What is not given stays. */
const CorrectionShape = {
  pinned: z.boolean().optional().describe('Told first'),
  wrong: z.boolean().optional().describe('What it says is not so: found, with a mark, and told to nobody'),
  title: z.string().max(1000).optional().describe('A new title'),
  subtitle: z
    .string()
    .max(4000)
    .nullable()
    .optional()
    .describe('A new subtitle; null takes it away, and so does a new title or narrative unless this is given'),
  narrative: z.string().max(100_000).nullable().optional().describe('A new text; null takes it away'),
  facts: z.array(z.string().max(4000)).max(100).optional().describe('New facts, all of them'),
  type: z.enum(OBSERVATION_TYPES).optional().describe('Another type'),
  supersededBy: Id.nullable()
    .optional()
    .describe('As POST /api/memory/replace: the id of the observation that holds instead; null: it still holds'),
  by: By,
};

export function addCorrectionRoutes(api: Api, { db, clock, onStored }: CorrectionRoutesDeps): void {
  addRoute(
    api,
    {
      method: 'PATCH',
      path: '/api/observations/:id',
      about: 'A person corrects an observation.',
      parts: { id: 'The id of an observation, like 123' },
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
      path: '/api/memory/replace',
      about:
        'A person says that a newer memory holds instead of an older one, that both hold, or that the older is not replaced.',
      body: {
        older: Id.describe('123, P34 for a turn, or S12'),
        newer: Id.optional().describe('What holds instead: 123, or P34 for a turn'),
        bothHold: z.boolean().default(false).describe('Neither replaces the other, and no rule says so again'),
        undo: z.boolean().default(false).describe('The older is not replaced: by the newer, or by anything'),
        by: By,
      },
      answers: { 200: ReplaceAnswerSchema },
    },
    ({ body, c }) => {
      const { newer, ...said } = body;
      const answer: ReplaceAnswer = replaceMemory(db, newer === undefined ? said : { ...said, newer }, clock());
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
      access: 'socket',
      body: {
        source: z.string().min(1).max(300).describe('session:ID, origin:web, host:NAME, or the id of a memory'),
        trusted: z.boolean().default(false).describe('True: trusted again'),
        by: By,
      },
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
