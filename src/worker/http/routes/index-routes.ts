// The routes of the index: how far it is, and making it anew.
import { z } from 'zod';
import type { Indexing } from '../../index/indexing.ts';
import { type Api, addRoute } from '../route.ts';
import { IndexStateSchema, ReindexAnswerSchema } from '../schemas/worker.ts';

export type IndexRoutesDeps = Pick<Indexing, 'status' | 'reindex'>;

export function addIndexRoutes(api: Api, { status, reindex }: IndexRoutesDeps): void {
  addRoute(
    api,
    { method: 'GET', path: '/api/index', about: 'How far the index is.', answers: { 200: IndexStateSchema } },
    ({ c }) => c.json(status()),
  );
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/reindex',
      about: 'Makes the index anew.',
      query: { words: z.stringbool().default(false).describe('Also that of the words, whatever it looks like') },
      answers: { 202: ReindexAnswerSchema },
    },
    ({ query, c }) => c.json({ job: reindex({ withWords: query.words }) }, 202),
  );
}
