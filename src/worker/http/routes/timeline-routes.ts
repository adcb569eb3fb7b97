// The route of the timeline: what happened around a memory, a time, or the best hit of a query.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { type MemoryRef, parseRef } from '../../../core/memory.ts';
import { DEFAULT_DEPTH, MAX_DEPTH, readTimeline } from '../../../search/timeline.ts';
import { resolveListScope, resolveScope } from '../../projects/scope.ts';
import { requireOwnMemories, requireOwnProjects } from '../agent-limit.ts';
import { MemoryTypes, ScopeShape, wholeNumber } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { TimelineAnswerSchema } from '../schemas/memory.ts';

export type TimelineDeps = {
  db: Database;
  /** The best hit of a search in these projects; null when nothing is relevant. */
  findBest: (query: string, scope: { projectIds: number[] | null }) => Promise<MemoryRef | null>;
};

export function addTimelineRoutes(api: Api, { db, findBest }: TimelineDeps): void {
  const spec = {
    method: 'GET',
    path: '/api/timeline',
    about: 'What happened around a memory, a time, or the best hit of a query.',
    query: {
      ...ScopeShape,
      anchor: z.string().min(1).max(100).optional().describe('An id like 123, S12 or P34, or a time'),
      query: z.string().min(1).max(10_000).optional().describe('Instead of an anchor: around what answers this best'),
      depth_before: wholeNumber(0, MAX_DEPTH).default(DEFAULT_DEPTH).describe('So many before it'),
      depth_after: wholeNumber(0, MAX_DEPTH).default(DEFAULT_DEPTH).describe('So many after it'),
      type: MemoryTypes,
    },
    answers: { 200: TimelineAnswerSchema },
  } as const;
  addRoute(api, spec, async ({ query: asked, c }) => {
    // An id says by itself where to look.
    const resolve = asked.anchor === undefined ? resolveScope : resolveListScope;
    const { projectIds } = resolve(db, asked);
    requireOwnProjects(c.get('own'), projectIds);
    const ref = parseRef(asked.anchor ?? '');
    if (ref) requireOwnMemories(db, c.get('own'), [ref]);
    const timeline = {
      anchor: asked.anchor,
      query: asked.query,
      depthBefore: asked.depth_before,
      depthAfter: asked.depth_after,
      types: asked.type,
      projectIds,
      isNamed: asked.project !== undefined,
    };
    return c.json(await readTimeline(db, timeline, (query) => findBest(query, { projectIds })));
  });
}
