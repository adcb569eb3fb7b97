// The route of the recap: what was done, decided and left open.
import type { Database } from 'bun:sqlite';
import type { Hono } from 'hono';
import { parseRange } from '../../core/when.ts';
import { readRecap } from '../../search/recap.ts';
import { resolveScope } from '../scope.ts';
import { RangeShape, readQuery, ScopeShape } from './answers.ts';

export type RecapDeps = { db: Database; clock: () => number };

/** A stand-up is about the day before. */
const DEFAULT_SINCE = 'yesterday';

export function addRecapRoutes(app: Hono, { db, clock }: RecapDeps): void {
  app.get('/api/recap', (c) => {
    const asked = readQuery(c, { ...ScopeShape, ...RangeShape });
    const { projectIds } = resolveScope(db, asked);
    const now = clock();
    const range = parseRange({ since: asked.since ?? DEFAULT_SINCE, until: asked.until }, now);
    return c.json(readRecap(db, { ...range, projectIds, now }));
  });
}
