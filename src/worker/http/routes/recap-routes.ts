// The route of the recap: what was done, decided and left open.
import type { Database } from 'bun:sqlite';
import { formatDate } from '../../../core/local-time.ts';
import { parseRange, parseWhen } from '../../../core/when.ts';
import { readRecap } from '../../../search/recap.ts';
import { lastWorkBefore } from '../../../store/memories/recap.ts';
import { resolveScope } from '../../projects/scope.ts';
import { requireOwnProjects } from '../agent-limit.ts';
import { RangeShape, ScopeShape } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { RecapAnswerSchema } from '../schemas/memory.ts';

export type RecapDeps = { db: Database; clock: () => number };

export function addRecapRoutes(api: Api, { db, clock }: RecapDeps): void {
  const spec = {
    method: 'GET',
    path: '/api/recap',
    about: 'What was done, decided and left open, for each project.',
    query: { ...ScopeShape, ...RangeShape },
    answers: { 200: RecapAnswerSchema },
  } as const;
  addRoute(api, spec, ({ query: asked, c }) => {
    const { projectIds } = resolveScope(db, asked);
    requireOwnProjects(c.get('own'), projectIds);
    const now = clock();
    const since = asked.since ?? findWorkDay(db, { projectIds, until: asked.until, now });
    return c.json(readRecap(db, { ...parseRange({ since, until: asked.until }, now), projectIds, now }));
  });
}

/** A stand-up is about the last day of work before today: on a Monday, the Friday. */
function findWorkDay(db: Database, asked: { projectIds: number[] | null; until?: string; now: number }): string {
  const { projectIds, until, now } = asked;
  const end = until === undefined ? now : parseWhen(until, 'until', now) + 1;
  const before = Math.min(end, parseWhen('today', 'since', now));
  const at = lastWorkBefore(db, projectIds, before);
  return at === null ? 'yesterday' : formatDate(at);
}
