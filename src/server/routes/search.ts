// The routes that answer a question: search, the timeline, the history of a file, the recap.
import type { Database } from 'bun:sqlite';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { z } from 'zod';
import { findSession } from '../../capture/sessions.ts';
import { parseRef } from '../../core/memory.ts';
import { FilterShape, HistoryShape, pageShape, RecapShape, SearchShape, TimelineShape } from '../../core/shapes/asked.ts';
import { FileHistoryAnswerSchema, RecapAnswerSchema, TimelineAnswerSchema } from '../../core/shapes/memory.ts';
import { SearchAnswerSchema, SessionSearchAnswerSchema } from '../../core/shapes/search.ts';
import { formatDate, parseRange, parseWhen } from '../../core/time.ts';
import { canonical } from '../../git/git-dir.ts';
import { identifyProject } from '../../git/identity.ts';
import { findEarlierNames } from '../../git/renames.ts';
import { listNotes } from '../../memory/injections.ts';
import { findFolder, resolveListScope, resolveScope, type Scope, type ScopeParameters } from '../../projects/place.ts';
import { findProjectAround } from '../../projects/projects.ts';
import type { Filters } from '../../search/filters.ts';
import { lastWorkBefore } from '../../search/recap.ts';
import { readRecap } from '../../search/rollup.ts';
import { type Asker, searchMemories } from '../../search/search.ts';
import { describeSessions, searchSessions } from '../../search/search-sessions.ts';
import { readFileHistory, readTimeline } from '../../search/timeline.ts';
import { requireOwnMemories, requireOwnProjects, resolveOwnScope } from '../http/agent-limit.ts';
import { type Route, route } from '../http/route.ts';
import type { RouteDeps } from './index.ts';

type SearchDeps = Pick<RouteDeps, 'db' | 'clock' | 'finder' | 'findBest' | 'readIndexProblem'>;

export const searchRoutes = (deps: SearchDeps): Route[] => [...findRoutes(deps), ...pastRoutes(deps)];

function findRoutes({ db, finder, clock, readIndexProblem }: SearchDeps): Route[] {
  /** Unless the search itself has noticed. */
  const withProblem = (note: string | null) => {
    const problem = readIndexProblem?.() ?? null;
    if (problem === null || note?.includes(problem)) return note;
    return [`Searched by words alone: ${problem}`, note].filter(Boolean).join(' ');
  };
  return [
    route(
      'GET /api/search',
      'What answers a question best; without one, what the filters leave.',
      { query: SearchShape, answer: SearchAnswerSchema },
      async ({ query: asked, c }) => {
        const scope = resolveOwnScope(db, c, asked);
        const { query, order, limit, offset, why } = asked;
        const filters = readFilters(asked, scope, clock());
        const asker = readAsker(db, c.get('session'), asked.given);
        const found = await searchMemories(finder, { query, filters, order, limit, offset, why, asker });
        return { ...found, note: withProblem(found.note), limit, offset, project: scope.name };
      },
    ),
    route(
      'GET /api/search/sessions',
      'The same question, answered by sessions.',
      { query: { ...FilterShape, ...pageShape(10) }, answer: SessionSearchAnswerSchema },
      async ({ query: asked, c }) => {
        const scope = resolveOwnScope(db, c, asked);
        const { query, limit, offset } = asked;
        const found = await searchSessions(finder, { query, filters: readFilters(asked, scope, clock()), limit: limit + offset });
        const note = withProblem(found.length === 0 ? 'Nothing relevant.' : null);
        return { results: describeSessions(db, found.slice(offset)), limit, offset, project: scope.name, note };
      },
    ),
  ];
}

function readAsker(db: Database, hostSession: string | undefined, given: string): Asker {
  const session = hostSession === undefined ? null : findSession(db, hostSession);
  if (!session) return { sessionId: 0, given };
  return { sessionId: session.id, given: [given, ...listNotes(db, session.id)].join('\n') };
}

type Asked = z.output<z.ZodObject<typeof FilterShape>>;

function readFilters({ type: types, concept, file, session, branch, since, until }: Asked, scope: Scope, now: number): Filters {
  const range = parseRange({ ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }, now);
  const within = { since: since === undefined ? undefined : range.since, until: until === undefined ? undefined : range.until };
  return { projectIds: scope.projectIds, types, concept, file, session, branch, ...within };
}

function pastRoutes({ db, clock, findBest }: SearchDeps): Route[] {
  return [
    route(
      'GET /api/timeline',
      'What happened around a memory, a time, or the best hit of a query.',
      { query: TimelineShape, answer: TimelineAnswerSchema },
      ({ query: { anchor, query, type: types, ...asked }, c }) => {
        // An id says by itself where to look.
        const { projectIds } = resolveOwnScope(db, c, asked, anchor === undefined ? resolveScope : resolveListScope);
        const ref = parseRef(anchor ?? '');
        if (ref) requireOwnMemories(db, c.get('own'), [ref]);
        const around = { anchor, query, depthBefore: asked.depth_before, depthAfter: asked.depth_after };
        const wanted = { ...around, types, projectIds, isNamed: asked.project !== undefined };
        return readTimeline(db, wanted, (words) => findBest(words, { projectIds }));
      },
    ),
    route(
      'GET /api/observations/by-file',
      'Every memory that read or changed a file, under any of its names.',
      { query: HistoryShape, answer: FileHistoryAnswerSchema },
      ({ query: { path: given, limit, offset, ...asked }, c }) => {
        // Memories know files by their real paths.
        const path = isAbsolute(given) ? join(canonical(dirname(given)), basename(given)) : given;
        const place = findPlace(db, path, asked);
        const { root } = place;
        requireOwnProjects(c.get('own'), place.projectIds);
        return readFileHistory(db, { path, ...place, limit, offset }, (name) =>
          root && !isAbsolute(name) ? findEarlierNames({ root, path: name }) : Promise.resolve([]),
        );
      },
    ),
    route(
      'GET /api/recap',
      'What was done, decided and left open, for each project.',
      { query: RecapShape, answer: RecapAnswerSchema },
      ({ query: asked, c }) => {
        const { projectIds } = resolveOwnScope(db, c, asked);
        const now = clock();
        const since = asked.since ?? findWorkDay(db, { projectIds, until: asked.until, now });
        return readRecap(db, { ...parseRange({ since, until: asked.until }, now), projectIds, now });
      },
    ),
  ];
}

type Place = { projectIds: number[] | null; cwd: string | null; root: string | null };

function findPlace(db: Database, path: string, asked: ScopeParameters): Place {
  // A project that was named is elsewhere: what the asker's folder says of paths does not hold there.
  if (asked.project !== undefined || asked.all) {
    const { project, projectIds } = resolveScope(db, asked);
    return { projectIds, cwd: null, root: project?.root ?? null };
  }
  if (asked.cwd !== undefined || !isAbsolute(path)) {
    const { projectIds } = resolveScope(db, asked);
    const cwd = asked.cwd === undefined ? null : canonical(asked.cwd);
    return { projectIds, cwd, root: cwd && identifyProject(cwd).root };
  }
  // An absolute path says by itself where to look.
  const { identity, project, projectIds } = findFolder(db, dirname(path));
  if (project) return { projectIds, cwd: null, root: identity.root };
  const around = findProjectAround(db, path);
  return { projectIds: around ? [around.id] : [], cwd: null, root: around?.root ?? identity.root };
}

/** A stand-up is about the last day of work before today: on a Monday, the Friday. */
function findWorkDay(db: Database, { projectIds, until, now }: { projectIds: number[] | null; until?: string; now: number }): string {
  const end = until === undefined ? now : parseWhen(until, 'until', now) + 1;
  const at = lastWorkBefore(db, projectIds, Math.min(end, parseWhen('today', 'since', now)));
  return at === null ? 'yesterday' : formatDate(at);
}
