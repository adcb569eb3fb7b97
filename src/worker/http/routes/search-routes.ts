// The routes of search: by memory, and by session.
import { z } from 'zod';
import { DEFAULT_LIMIT, type SearchAnswer, type SessionSearchAnswer } from '../../../core/search.ts';
import { parseRange } from '../../../core/when.ts';
import { describeSessions } from '../../../search/describe-sessions.ts';
import type { Filters } from '../../../search/filters.ts';
import type { Finder } from '../../../search/find.ts';
import { searchMemories } from '../../../search/search.ts';
import { searchSessions } from '../../../search/search-sessions.ts';
import { resolveScope, type Scope } from '../../projects/scope.ts';
import { requireOwnProjects } from '../agent-limit.ts';
import { MemoryTypes, pageShape, RangeShape, ScopeShape } from '../answers.ts';
import { type Api, addRoute } from '../route.ts';
import { SearchAnswerSchema, SessionSearchAnswerSchema } from '../schemas/search.ts';

export type SearchRoutesDeps = {
  finder: Finder;
  clock: () => number;
  /** Why there are no vectors to search in, when they should be there. */
  readIndexProblem?: () => string | null;
};

const DEFAULT_SESSIONS = 10;

const FilterShape = {
  ...ScopeShape,
  ...RangeShape,
  query: z.string().max(100_000).default('').describe('A question, words or a name; empty: all that the filters leave'),
  type: MemoryTypes,
  concept: z.string().min(1).max(200).optional().describe('Only with this concept'),
  file: z.string().min(1).max(4096).optional().describe('Only about this file: a path, or the end of one'),
  session: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("Only of this session, by the host's id or the beginning of it"),
  branch: z.string().min(1).max(200).optional().describe('Only of this branch'),
};

const SEARCH = {
  method: 'GET',
  path: '/api/search',
  about: 'What answers a question best; without one, what the filters leave.',
  query: {
    ...FilterShape,
    ...pageShape(DEFAULT_LIMIT),
    order: z.enum(['relevance', 'date']).default('relevance').describe('The best first, or the newest'),
    why: z.stringbool().default(false).describe('Each hit with the reasons for its place'),
  },
  answers: { 200: SearchAnswerSchema },
} as const;

const SEARCH_SESSIONS = {
  method: 'GET',
  path: '/api/search/sessions',
  about: 'The same question, answered by sessions.',
  query: { ...FilterShape, ...pageShape(DEFAULT_SESSIONS) },
  answers: { 200: SessionSearchAnswerSchema },
} as const;

export function addSearchRoutes(api: Api, { finder, clock, readIndexProblem }: SearchRoutesDeps): void {
  /** Unless the search itself has noticed. */
  const withProblem = (note: string | null) => {
    const problem = readIndexProblem?.() ?? null;
    if (problem === null || note?.includes(problem)) return note;
    return [`Searched by words alone: ${problem}`, note].filter(Boolean).join(' ');
  };

  addRoute(api, SEARCH, async ({ query: asked, c }) => {
    const scope = resolveScope(finder.db, asked);
    requireOwnProjects(c.get('own'), scope.projectIds);
    const { query, order, limit, offset, why } = asked;
    const filters = readFilters(asked, scope, clock());
    const found = await searchMemories(finder, { query, filters, order, limit, offset, why });
    const note = withProblem(found.note);
    return c.json({ ...found, note, limit, offset, project: scope.name } satisfies SearchAnswer);
  });

  addRoute(api, SEARCH_SESSIONS, async ({ query: asked, c }) => {
    const scope = resolveScope(finder.db, asked);
    requireOwnProjects(c.get('own'), scope.projectIds);
    const { query, limit, offset } = asked;
    const filters = readFilters(asked, scope, clock());
    const found = await searchSessions(finder, { query, filters, limit: limit + offset });
    const results = describeSessions(finder.db, found.slice(offset));
    const note = withProblem(found.length === 0 ? 'Nothing relevant.' : null);
    return c.json({ results, limit, offset, project: scope.name, note } satisfies SessionSearchAnswer);
  });
}

type Asked = z.output<z.ZodObject<typeof FilterShape>>;

function readFilters(
  { type, concept, file, session, branch, since, until }: Asked,
  scope: Scope,
  now: number,
): Filters {
  const range = parseRange(
    { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) },
    now,
  );
  return {
    projectIds: scope.projectIds,
    types: type,
    concept,
    file,
    session,
    branch,
    since: since === undefined ? undefined : range.since,
    until: until === undefined ? undefined : range.until,
  };
}
