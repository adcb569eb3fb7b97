// The route of one session: all of it, turn by turn.
import type { Database } from 'bun:sqlite';
import { z } from 'zod';
import { AskError } from '../../../core/ask-error.ts';
import { rollUpSession } from '../../../search/rollup.ts';
import { readSessionPage } from '../../../store/sessions/session-page.ts';
import { findSessionsStarting, type Session } from '../../../store/sessions/sessions.ts';
import { pageShape } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { WholeSessionAnswerSchema } from '../schemas/session.ts';

const DEFAULT_TURNS = 10;

const READ = {
  method: 'GET',
  path: '/api/sessions/:session',
  about: 'One session by its id or the beginning of it: what came of it, and turn by turn.',
  parts: { session: "The host's id of a session, or the beginning of it" },
  query: {
    ...pageShape(DEFAULT_TURNS),
    order: z.enum(['oldest', 'newest']).default('oldest').describe('Which turns come first'),
  },
  answers: { 200: WholeSessionAnswerSchema },
} as const;

export function addSessionRoutes(api: Api, { db }: { db: Database }): void {
  addRoute(api, READ, ({ param, query, c }) => {
    const name = param('session');
    const session = findOne(db, name);
    const page = readSessionPage(db, session.id, query);
    if (!page) throw notThere(name);
    return c.json({ ...page, rollUp: rollUpSession(db, session) });
  });
}

function findOne(db: Database, name: string): Session {
  const [session, ...others] = findSessionsStarting(db, name);
  if (!session) throw notThere(name);
  if (others.length === 0) return session;
  const candidates = [session, ...others].map(({ hostSessionId }) => hostSessionId);
  throw new AskError('ambiguous', `Several sessions begin with ${name.slice(0, 60)}.`, 'Give more of it.', candidates);
}

const notThere = (name: string) =>
  new AskError('unknown', `There is no session ${name.slice(0, 60)}.`, 'GET /api/sessions lists them.');
