// The memory as the MCP tools ask for it in the worker: every call is a route of its own API, so what holds there holds here.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import type { SaveParameters, SearchParameters } from '../../../core/search.ts';
import { announceSilence, type StatuslineAnswer } from '../../../core/silence.ts';
import type { Calls } from '../../../mcp/calls.ts';

/** Where a client is, as the address that it was given says. */
export type McpPlace = { cwd?: string; project?: string; session?: string };

/** The API, for a caller that it trusts: what came in was checked at the door. */
export type AskApi = (route: string, init?: { method: string; body?: string }) => Promise<Response>;

/** Calls take their place from the address unless they name a project; without any they look everywhere. */
export function createCalls(api: AskApi, place: McpPlace, clock: () => number): Calls {
  const ask = async <Answer>(route: string, init?: { method: string; body?: string }) =>
    readAnswer<Answer>(await api(route, init));
  const memories = (ids: string[]) => `/api/observations/${encodeURIComponent(ids.join(','))}`;
  return {
    search: (asked) => ask(withQuery('/api/search', { ...asked, ...findScope(asked, place) })),
    readTimeline: (asked) => ask(withQuery('/api/timeline', { ...asked, ...findScope(asked, place) })),
    readMemories: (ids, { full = false } = {}) =>
      ask('/api/observations/batch', { method: 'POST', body: JSON.stringify({ ids, full }) }),
    readFileHistory: ({ path }) => ask(withQuery('/api/observations/by-file', { path, ...findFileScope(path, place) })),
    remember: async (said) => {
      const body = JSON.stringify({ ...said, ...findOwner(said, place), by: 'agent' });
      if (place.session !== undefined) {
        const { silence } = await ask<StatuslineAnswer>(withQuery('/api/statusline', { session: place.session }));
        if (silence) throw new Error(`${announceSilence(silence, clock())} Only the user can say it now.`);
      }
      return ask('/api/memory/save', { method: 'POST', body });
    },
    hide: (ids) => ask(memories(ids), { method: 'DELETE' }),
  };
}

type Scope = Pick<SearchParameters, 'cwd' | 'project' | 'all'>;

function findScope({ project, all }: Scope, place: McpPlace): Scope {
  if (all) return { all, project: undefined, cwd: undefined };
  if (project) return { project, cwd: undefined };
  if (place.cwd !== undefined) return { cwd: place.cwd };
  return place.project === undefined ? { all: true, cwd: undefined } : { project: place.project, cwd: undefined };
}

/** An absolute path says by itself where to look. */
const findFileScope = (path: string, { cwd, project }: McpPlace): Scope =>
  cwd === undefined && project === undefined && isAbsolute(path) ? {} : findScope({}, { cwd, project });

function findOwner({ global }: SaveParameters, { cwd, project }: McpPlace): Pick<SaveParameters, 'cwd' | 'project'> {
  if (cwd !== undefined) return { cwd };
  if (project !== undefined || global) return { cwd: undefined, project };
  throw new Error(
    'It is not known which project this is about. Give `global` if it holds in every project, or the user adds ?cwd=/path/of/the/project to the address of this server.',
  );
}

type Parameters = Record<string, string | number | boolean | string[] | undefined>;

/** The search itself reads no more. */
const MOST_QUERY = 4000;

/** What is not said is left out; lists are separated by commas. */
function withQuery(route: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === false || value === '') continue;
    query.set(name, name === 'query' ? String(value).slice(0, MOST_QUERY).toWellFormed() : String(value));
  }
  return `${route}?${query}`;
}

const Problem = z.object({ error: z.string(), hint: z.string(), candidates: z.array(z.string()).default([]) });

/** Rejects with what is wrong and what to do, as one text for the model. */
async function readAnswer<Answer>(response: Response): Promise<Answer> {
  const body: unknown = await response.json();
  // The API is our own: its answers are trusted to keep to their contract.
  if (response.ok) return body as Answer;
  const { error, hint, candidates } = Problem.parse(body);
  const others = candidates.filter((candidate) => !hint.includes(candidate)).join(', ');
  throw new Error([error, hint, others].filter(Boolean).join(' '));
}
