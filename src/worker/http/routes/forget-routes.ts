// The routes of forgetting: hide, show again, erase, and what is hidden.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { AskError } from '../../../core/ask-error.ts';
import { formatRef, type MemoryRef } from '../../../core/memory.ts';
import type { ForgetPreview, HiddenAnswer, ListAnswer } from '../../../core/search.ts';
import { listHidden } from '../../../store/memories/memory-lists.ts';
import type { Forget } from '../../corrections/forget.ts';
import { requireHideable } from '../agent-limit.ts';
import { pageShape, readRef, SOME_IDS } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import {
  ForgetAnswerSchema,
  ForgetPreviewSchema,
  HiddenAnswerSchema,
  ListAnswerSchema,
  UnhideAnswerSchema,
} from '../schemas/memory.ts';

export type ForgetRoutesDeps = { db: Database; forget: Forget };

const MOST_IDS = 200;

export function addForgetRoutes(api: Api, { db, forget }: ForgetRoutesDeps): void {
  addScopeRoutes(api, forget);
  addRoute(
    api,
    {
      method: 'DELETE',
      path: '/api/observations/:id',
      about: 'Hides memories, or erases them for good. One id or several, separated by commas.',
      parts: { id: SOME_IDS },
      query: {
        erase: z.stringbool().default(false).describe('For good, with a receipt, instead of hiding'),
        related: z.stringbool().default(false).describe('With what was made of the same events and of nothing else'),
      },
      answers: { 200: ForgetAnswerSchema },
    },
    async ({ query: { erase, related }, param, c }) => {
      const refs = readRefs(param('id').split(','));
      const byAgent = c.get('isAgent') ?? false;
      if (byAgent && erase) throw new AskError('conflict', 'Only a person deletes memories.', 'Leave `erase` out.');
      if (byAgent) requireHideable(db, c.get('own'), refs);
      return c.json(erase ? await forget.erase(refs, { withRelated: related }) : forget.hide(refs, { byAgent }));
    },
  );
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/observations/:ids/related',
      about: 'What was made of the same events as these and of nothing else.',
      parts: { ids: SOME_IDS },
      answers: { 200: ListAnswerSchema },
    },
    ({ param, c }) => c.json({ memories: forget.related(readRefs(param('ids').split(','))) } satisfies ListAnswer),
  );
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/memory/hidden',
      about: 'What is hidden and waits for a person.',
      query: pageShape(MOST_IDS),
      answers: { 200: HiddenAnswerSchema },
    },
    ({ query, c }) => c.json(listHidden(db, query) satisfies HiddenAnswer),
  );
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/memory/unhide',
      about: 'Shows hidden memories again.',
      body: { ids: z.array(z.string()).min(1).max(MOST_IDS).describe('Like 123, S12 and P34') },
      answers: { 200: UnhideAnswerSchema },
    },
    ({ body, c }) => c.json(forget.unhide(readRefs(body.ids))),
  );
}

const ScopeShape = {
  session: z.string().min(1).max(200).optional().describe("A session, by the agent's id of it or how that begins"),
  project: z.string().min(1).max(4096).optional().describe('A project by its name or its key'),
  matching: z.string().min(1).max(1000).optional().describe('All that has this text in it, whatever the case'),
};

/** Not for agents: their list of routes (agent-limit.ts) has none of these. */
function addScopeRoutes(api: Api, forget: Forget): void {
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/memory/scope',
      about: 'What deleting a session, a project, or all that has a text in it would take. Exactly one of the three.',
      query: ScopeShape,
      answers: { 200: ForgetPreviewSchema },
    },
    async ({ query, c }) => c.json((await forget.preview(query)) satisfies ForgetPreview),
  );
  addRoute(
    api,
    {
      method: 'POST',
      path: '/api/memory/erase',
      about:
        'Deletes a whole session or project, or many memories by their ids, permanently, with a report. With ids, `matching` is a text that must be in no file afterwards.',
      body: {
        ...ScopeShape,
        ids: z.array(z.string()).min(1).max(MOST_ERASED).optional().describe('Like 123, S12 and P34'),
      },
      answers: { 200: ForgetAnswerSchema },
    },
    async ({ body: { ids, ...scope }, c }) =>
      c.json(await forget.eraseScope({ ...scope, ...(ids ? { refs: readRefs(ids) } : {}) })),
  );
}

const MOST_ERASED = 2000;

/** Each once. */
const readRefs = (texts: string[]): MemoryRef[] => [
  ...new Map(texts.map(readRef).map((ref) => [formatRef(ref), ref])).values(),
];
