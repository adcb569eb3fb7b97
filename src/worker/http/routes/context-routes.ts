// The routes of what a session is told: what it would be now, and what one was.
import { z } from 'zod';
import { CONTEXT_SECTIONS } from '../../../core/context.ts';
import { OBSERVATION_TYPES } from '../../../core/observation.ts';
import { resolveScope } from '../../projects/scope.ts';
import { type PreviewDeps, previewContext, replaySession } from '../../telling/preview.ts';
import { requireOwnProjects } from '../agent-limit.ts';
import { List, StartShape, wholeNumber } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { PreviewAnswerSchema, ReplayAnswerSchema } from '../schemas/context.ts';

export function addContextRoutes(api: Api, deps: PreviewDeps): void {
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/context/preview',
      about: 'Exactly what the next session would be told, and why.',
      query: {
        ...StartShape,
        prompt: z.string().min(1).max(100_000).optional().describe('As if this were its first prompt'),
        file: z.string().min(1).max(4096).optional().describe('As if this file were about to be edited'),
        // Instead of the settings of these names, with the same bounds: to see what a change of them would do.
        tokens: wholeNumber(200, 10_000).optional().describe('Instead of the setting contextTokens'),
        sections: List.pipe(z.array(z.enum(CONTEXT_SECTIONS)))
          .optional()
          .describe('Instead of the setting contextSections'),
        types: List.pipe(z.array(z.enum(OBSERVATION_TYPES)))
          .optional()
          .describe('Instead of the setting contextTypes'),
        index: wholeNumber(0, 200).optional().describe('Instead of the setting contextIndex'),
        full: wholeNumber(0, 30).optional().describe('Instead of the setting contextFull'),
        sessions: wholeNumber(0, 50).optional().describe('Instead of the setting contextSessions'),
      },
      answers: { 200: PreviewAnswerSchema },
    },
    async ({ query, c }) => {
      requireOwnProjects(c.get('own'), resolveScope(deps.db, query).projectIds);
      return c.json(await previewContext(deps, query));
    },
  );
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/context/replay',
      about: 'What a session was told, and when.',
      query: { session: z.string().min(1).max(200).describe("The host's id of a session, or the beginning of it") },
      answers: { 200: ReplayAnswerSchema },
    },
    ({ query, c }) => c.json(replaySession(deps.db, query.session)),
  );
}
