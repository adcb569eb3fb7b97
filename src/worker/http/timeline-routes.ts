// The route of the timeline: what happened around a memory, a time, or the best hit of a query.
import type { Database } from 'bun:sqlite';
import type { Hono } from 'hono';
import { z } from 'zod';
import type { MemoryRef } from '../../core/memory.ts';
import { DEFAULT_DEPTH, MAX_DEPTH, readTimeline } from '../../search/timeline.ts';
import { resolveListScope, resolveScope } from '../scope.ts';
import { MemoryTypes, readQuery, ScopeShape, wholeNumber } from './answers.ts';

export type TimelineDeps = {
  db: Database;
  /** The best hit of a search in these projects; null when nothing is relevant. */
  findBest: (query: string, scope: { projectIds: number[] | null }) => Promise<MemoryRef | null>;
};

export function addTimelineRoutes(app: Hono, { db, findBest }: TimelineDeps): void {
  app.get('/api/timeline', async (c) => {
    const asked = readQuery(c, {
      ...ScopeShape,
      anchor: z.string().min(1).max(100).optional(),
      query: z.string().min(1).max(10_000).optional(),
      depth_before: wholeNumber(0, MAX_DEPTH, DEFAULT_DEPTH),
      depth_after: wholeNumber(0, MAX_DEPTH, DEFAULT_DEPTH),
      type: MemoryTypes,
    });
    // An id says by itself where to look.
    const resolve = asked.anchor === undefined ? resolveScope : resolveListScope;
    const { projectIds } = resolve(db, asked);
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
