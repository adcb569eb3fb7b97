// The route by which somebody says what to remember.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { OBSERVATION_TYPES } from '../../../core/observation.ts';
import { remember } from '../../corrections/remember.ts';
import { requireOwnPlace } from '../agent-limit.ts';
import { type Api, addRoute } from '../route.ts';
import { SaveAnswerSchema } from '../schemas/memory.ts';

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
      text: z.string().max(100_000).describe('What to remember'),
      title: z.string().max(1000).optional().describe('Else the first sentence is it'),
      type: z.enum(OBSERVATION_TYPES).optional().describe('Else it is read from the text'),
      cwd: z.string().min(1).max(4096).optional().describe('A folder of the project that it is about'),
      project: z.string().min(1).max(4096).optional().describe('The same, by its name or its key'),
      global: z.boolean().optional().describe('It holds in every project'),
      by: z
        .enum(['user', 'agent'])
        .default('agent')
        .describe('Whoever does not say to be a person is believed as an agent is'),
    },
    answers: { 200: SaveAnswerSchema, 201: SaveAnswerSchema },
  } as const;
  addRoute(api, spec, ({ body: said, c }) => {
    requireOwnPlace(db, c.get('own'), said);
    const answer = remember(db, c.get('isAgent') ? { ...said, by: 'agent' } : said, clock());
    if (answer.isNew) onStored();
    return c.json(answer, answer.isNew ? 201 : 200);
  });
}
