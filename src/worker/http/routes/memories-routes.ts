// The routes of memories: lists of each kind, and memories by their ids.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { formatRef, type Memory, type MemoryKind } from '../../../core/memory.ts';
import type { BatchAnswer } from '../../../core/search.ts';
import { parseRange } from '../../../core/when.ts';
import { tellTurn } from '../../../search/tell-turn.ts';
import { readMemories } from '../../../store/memories/memories.ts';
import { listMemories } from '../../../store/memories/memory-lists.ts';
import { resolveListScope } from '../../projects/scope.ts';
import { requireOwnMemories } from '../agent-limit.ts';
import { ObservationTypes, pageShape, RangeShape, readRef, ScopeShape } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { BatchAnswerSchema, MemoryPageSchema } from '../schemas/memory.ts';

export type MemoriesDeps = { db: Database; clock: () => number };

const DEFAULT_PAGE = 50;
const MOST_IDS = 200;

const ListShape = {
  ...ScopeShape,
  ...RangeShape,
  ...pageShape(DEFAULT_PAGE),
  session: z.string().min(1).max(200).optional().describe("Only of this session, by the host's id"),
};

export function addMemoriesRoutes(api: Api, { db, clock }: MemoriesDeps): void {
  const list = (kind: MemoryKind, query: z.output<z.ZodObject<typeof ListShape>> & { type?: string[] | undefined }) => {
    const { projectIds } = resolveListScope(db, query);
    const { limit, offset, session, type: types } = query;
    return listMemories(db, kind, { projectIds, types, session, limit, offset, ...parseRange(query, clock()) });
  };

  const answers = { 200: MemoryPageSchema };
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/observations',
      about: 'Observations, newest first.',
      query: { ...ListShape, type: ObservationTypes },
      answers,
    },
    ({ query, c }) => c.json(list('observation', query)),
  );
  addRoute(
    api,
    { method: 'GET', path: '/api/summaries', about: 'Summaries, newest first.', query: ListShape, answers },
    ({ query, c }) => c.json(list('summary', query)),
  );
  addRoute(
    api,
    { method: 'GET', path: '/api/prompts', about: 'Prompts, newest first.', query: ListShape, answers },
    ({ query, c }) => c.json(list('prompt', query)),
  );
  addBatchRoute(api, db);
}

function addBatchRoute(api: Api, db: Database): void {
  const spec = {
    method: 'POST',
    path: '/api/observations/batch',
    about: 'All of some memories of any kind, in the order of the ids.',
    body: {
      ids: z
        .array(z.union([z.string(), z.number().transform(String)]))
        .min(1)
        .max(MOST_IDS)
        .describe('Like 123, S12 and P34'),
      full: z
        .boolean()
        .optional()
        .describe('Records of turns whole, with output and diffs, instead of 1,500 characters'),
      hidden: z.boolean().optional().describe('Also those that wait for somebody to decide about them'),
    },
    answers: { 200: BatchAnswerSchema },
  } as const;
  addRoute(api, spec, ({ body: { ids, full, hidden }, c }) => {
    const refs = ids.map(readRef);
    requireOwnMemories(db, c.get('own'), refs);
    const found = readMemories(db, refs, { withHidden: hidden ?? false });
    const wanted = [...new Set(refs.map(formatRef))];
    const memories = wanted
      .flatMap((id) => found.get(id) ?? [])
      .map((memory) => withRecord(db, memory, { isFull: full ?? false, withHidden: hidden ?? false }));
    return c.json({ memories, missing: wanted.filter((id) => !found.has(id)) } satisfies BatchAnswer);
  });
}

function withRecord(db: Database, memory: Memory, options: { isFull: boolean; withHidden: boolean }): Memory {
  const told = memory.kind === 'prompt' ? tellTurn(db, memory.id, options) : null;
  if (!told) return memory;
  return { ...memory, record: told.text, ...(told.left > 0 ? { recordLeft: told.left } : {}) };
}
