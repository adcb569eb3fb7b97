// The route of the feed: all kinds of memories in one list, newest first, without end.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { AskError } from '../../../core/ask-error.ts';
import { MEMORY_KINDS } from '../../../core/memory.ts';
import { parseRange } from '../../../core/when.ts';
import { type FeedPlace, readFeed } from '../../../store/memories/feed.ts';
import { resolveListScope } from '../../projects/scope.ts';
import { MemoryTypes, RangeShape, ScopeShape, wholeNumber } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { MemorySchema } from '../schemas/memory.ts';

export type FeedDeps = { db: Database; clock: () => number };

const READ = {
  method: 'GET',
  path: '/api/feed',
  about: 'Observations, summaries and prompts in full, newest first, page by page.',
  query: {
    ...ScopeShape,
    ...RangeShape,
    type: MemoryTypes,
    file: z.string().min(1).max(4096).optional().describe('A path, or the end of one'),
    limit: wholeNumber(1, 200).default(50).describe('At most so many'),
    before: z.string().max(60).optional().describe('The next of the page before'),
  },
  answers: { 200: z.object({ memories: z.array(MemorySchema), next: z.string().nullable() }) },
} as const;

export function addFeedRoutes(api: Api, { db, clock }: FeedDeps): void {
  addRoute(api, READ, ({ query, c }) => {
    const { type: types, file, limit, before } = query;
    const { projectIds } = resolveListScope(db, query);
    const place = before === undefined ? null : readPlace(before);
    const page = readFeed(db, { projectIds, types, file, limit, before: place, ...parseRange(query, clock()) });
    return c.json({ memories: page.memories, next: page.next && formatPlace(page.next) });
  });
}

const formatPlace = ({ at, kind, id }: FeedPlace) => `${at}.${kind}.${id}`;

function readPlace(text: string): FeedPlace {
  const [, at, kind, id] = /^(-?\d{1,15})\.([a-z]+)\.(\d{1,15})$/.exec(text) ?? [];
  const known = MEMORY_KINDS.find((one) => one === kind);
  if (known) return { at: Number(at), kind: known, id: Number(id) };
  throw new AskError('invalid', 'before is not the end of a page.', 'Give the `next` of an earlier answer.');
}
