// The route of sessions: what there is to ask about.
import type { Database } from 'bun:sqlite';
import { parseRange } from '../../../core/when.ts';
import { listSessions } from '../../../store/sessions/session-lists.ts';
import { resolveListScope } from '../../projects/scope.ts';
import { pageShape, RangeShape, ScopeShape } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { SessionPageSchema } from '../schemas/project.ts';

export type SessionsDeps = { db: Database; clock: () => number };

const DEFAULT_PAGE = 50;

export function addSessionsRoutes(api: Api, { db, clock }: SessionsDeps): void {
  const spec = {
    method: 'GET',
    path: '/api/sessions',
    about: 'The sessions that were alive in a time.',
    query: { ...ScopeShape, ...RangeShape, ...pageShape(DEFAULT_PAGE) },
    answers: { 200: SessionPageSchema },
  } as const;
  addRoute(api, spec, ({ query, c }) => {
    const { projectIds } = resolveListScope(db, query);
    const { limit, offset } = query;
    return c.json(listSessions(db, { projectIds, limit, offset, ...parseRange(query, clock()) }));
  });
}
