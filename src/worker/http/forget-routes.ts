// The routes of forgetting: hide, show again, erase, and what is hidden.
import type { Database } from 'bun:sqlite';
import type { Hono } from 'hono';
import { z } from 'zod';
import { formatRef, type MemoryRef } from '../../core/memory.ts';
import type { HiddenAnswer, ListAnswer } from '../../core/search.ts';
import { listHidden } from '../../store/memory-lists.ts';
import type { Forget } from '../forget.ts';
import { readBody, readQuery, readRef } from './answers.ts';

export type ForgetRoutesDeps = { db: Database; forget: Forget };

const MOST_IDS = 200;

export function addForgetRoutes(app: Hono, { db, forget }: ForgetRoutesDeps): void {
  /** One id or several, separated by commas. */
  app.delete('/api/observations/:ids', async (c) => {
    const { erase, related } = readQuery(c, {
      erase: z.stringbool().default(false),
      related: z.stringbool().default(false),
    });
    const refs = readRefs(c.req.param('ids').split(','));
    return c.json(erase ? await forget.erase(refs, { withRelated: related }) : forget.hide(refs));
  });
  app.get('/api/observations/:ids/related', (c) => {
    readQuery(c, {});
    return c.json({ memories: forget.related(readRefs(c.req.param('ids').split(','))) } satisfies ListAnswer);
  });
  app.get('/api/memory/hidden', (c) => {
    readQuery(c, {});
    return c.json({ memories: listHidden(db) } satisfies HiddenAnswer);
  });
  app.post('/api/memory/unhide', async (c) => {
    const { ids } = await readBody(c, { ids: z.array(z.string()).min(1).max(MOST_IDS) });
    return c.json(forget.unhide(readRefs(ids)));
  });
}

/** Each once. */
const readRefs = (texts: string[]): MemoryRef[] => [
  ...new Map(texts.map(readRef).map((ref) => [formatRef(ref), ref])).values(),
];
