// The routes of memories: lists of each kind, and memories by their ids.
import type { Database } from 'bun:sqlite';
import type { Hono } from 'hono';
import { z } from 'zod';
import { formatRef, type MemoryKind } from '../../core/memory.ts';
import type { BatchAnswer } from '../../core/search.ts';
import { parseRange } from '../../core/when.ts';
import { readMemories } from '../../store/memories.ts';
import { listMemories } from '../../store/memory-lists.ts';
import { resolveListScope } from '../scope.ts';
import { ObservationTypes, pageShape, RangeShape, readBody, readQuery, readRef, ScopeShape } from './answers.ts';

export type MemoriesDeps = { db: Database; clock: () => number };

const DEFAULT_PAGE = 50;
const MOST_IDS = 200;

const ListShape = {
  ...ScopeShape,
  ...RangeShape,
  ...pageShape(DEFAULT_PAGE),
  session: z.string().min(1).max(200).optional(),
};

export function addMemoriesRoutes(app: Hono, { db, clock }: MemoriesDeps): void {
  const list = (kind: MemoryKind, query: z.output<z.ZodObject<typeof ListShape>> & { type?: string[] | undefined }) => {
    const { projectIds } = resolveListScope(db, query);
    const { limit, offset, session, type: types } = query;
    return listMemories(db, kind, { projectIds, types, session, limit, offset, ...parseRange(query, clock()) });
  };

  app.get('/api/observations', (c) =>
    c.json(list('observation', readQuery(c, { ...ListShape, type: ObservationTypes }))),
  );
  app.get('/api/summaries', (c) => c.json(list('summary', readQuery(c, ListShape))));
  app.get('/api/prompts', (c) => c.json(list('prompt', readQuery(c, ListShape))));

  app.post('/api/observations/batch', async (c) => {
    const { ids, hidden } = await readBody(c, {
      ids: z
        .array(z.union([z.string(), z.number().transform(String)]))
        .min(1)
        .max(MOST_IDS),
      /** Also those that wait for somebody to decide about them. */
      hidden: z.boolean().optional(),
    });
    const refs = ids.map(readRef);
    const found = readMemories(db, refs, { withHidden: hidden ?? false });
    const wanted = [...new Set(refs.map(formatRef))];
    const memories = wanted.flatMap((id) => found.get(id) ?? []);
    return c.json({ memories, missing: wanted.filter((id) => !found.has(id)) } satisfies BatchAnswer);
  });
}
