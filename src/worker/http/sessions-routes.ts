// The route of sessions: what there is to ask about.
import type { Database } from 'bun:sqlite';
import type { Hono } from 'hono';
import { parseRange } from '../../core/when.ts';
import { listSessions } from '../../store/session-lists.ts';
import { resolveListScope } from '../scope.ts';
import { pageShape, RangeShape, readQuery, ScopeShape } from './answers.ts';

export type SessionsDeps = { db: Database; clock: () => number };

const DEFAULT_PAGE = 50;

export function addSessionsRoutes(app: Hono, { db, clock }: SessionsDeps): void {
  app.get('/api/sessions', (c) => {
    const query = readQuery(c, { ...ScopeShape, ...RangeShape, ...pageShape(DEFAULT_PAGE) });
    const { projectIds } = resolveListScope(db, query);
    const { limit, offset } = query;
    return c.json(listSessions(db, { projectIds, limit, offset, ...parseRange(query, clock()) }));
  });
}
