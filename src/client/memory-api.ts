// The questions that can be put to the memory, over the worker's HTTP API. Each starts the worker if it must.

import { type AgentPlace, agentHeader } from '../core/search.ts';
import type * as asked from '../core/shapes/asked.ts';
import type { PreviewAnswer, ReplayAnswer } from '../core/shapes/context.ts';
import type * as answers from '../core/shapes/memory.ts';
import type { MergeAnswer, ProjectsAnswer, RenameAnswer, SeparateAnswer, SessionsAnswer } from '../core/shapes/project.ts';
import type { SearchAnswer, SessionSearchAnswer } from '../core/shapes/search.ts';
import { isIncognito, type Paths } from '../paths.ts';
import { askWorker, type Call } from './api.ts';

/** Written as in an address. The search itself reads no more than 4,000 characters. */
const MOST_BYTES = 6000;

/** Whole characters only. */
function cutQuery(query: string): string {
  let bytes = 0;
  let end = 0;
  for (const character of query) {
    bytes += /[\w*. -]/.test(character) ? 1 : 3 * Buffer.byteLength(character);
    if (bytes > MOST_BYTES) return query.slice(0, end);
    end += character.length;
  }
  return query;
}

/** Every file is looked through for remains. */
const ERASE_TIMEOUT_MS = 120_000;

/** A project of years, slice by slice. */
const SCOPE_TIMEOUT_MS = 900_000;

/** All of a project goes in one piece. */
const MERGE_TIMEOUT_MS = 60_000;

export type MemoryApi = ReturnType<typeof createCalls>;

export function createMemoryApi(paths: Paths, agent?: AgentPlace): MemoryApi {
  const headers = agent ? agentHeader(agent) : {};
  return createCalls((route, call) => askWorker(paths, route, { ...call, headers }));
}

/** The worker is ours: its answers are trusted to keep to core/shapes/. */
export function createCalls(send: (route: string, call?: Call) => Promise<unknown>) {
  const ask = <Answer>(route: string, call?: Call) => send(route, call) as Promise<Answer>;
  const post = <Answer>(route: string, body: object, timeoutMs?: number) =>
    ask<Answer>(route, { method: 'POST', body, ...(timeoutMs && { timeoutMs }) });
  const memories = (ids: string[]) => `/api/observations/${encodeURIComponent(ids.join(','))}`;
  return {
    search: (parameters: asked.SearchParameters) => ask<SearchAnswer>(withQuery('/api/search', parameters)),
    searchSessions: (parameters: asked.SearchParameters) => ask<SessionSearchAnswer>(withQuery('/api/search/sessions', parameters)),
    readTimeline: (parameters: asked.TimelineParameters) => ask<answers.TimelineAnswer>(withQuery('/api/timeline', parameters)),
    readMemories: (ids: string[], { full = false }: { full?: boolean | undefined } = {}) =>
      post<answers.BatchAnswer>('/api/observations/batch', { ids, ...(full ? { full } : {}) }),
    readFileHistory: (parameters: asked.HistoryParameters) =>
      ask<answers.FileHistoryAnswer>(withQuery('/api/observations/by-file', parameters)),
    recap: (parameters: asked.RecapParameters) => ask<answers.RecapAnswer>(withQuery('/api/recap', parameters)),
    listSessions: (parameters: { project?: string; cwd?: string; all?: boolean; limit?: number }) =>
      ask<SessionsAnswer>(withQuery('/api/sessions', parameters)),
    readSession: (session: string) => ask<answers.SessionPage>(`/api/sessions/${encodeURIComponent(session)}`),
    remember: (parameters: asked.SaveParameters) => post<answers.SaveAnswer>('/api/memory/save', parameters),
    hide: (ids: string[]) => ask<answers.ForgetAnswer>(memories(ids), { method: 'DELETE' }),
    /** Only once a person has confirmed. */
    erase: (ids: string[], { related }: { related: boolean }) =>
      ask<answers.ForgetAnswer>(withQuery(memories(ids), { erase: true, related }), {
        method: 'DELETE',
        timeoutMs: ERASE_TIMEOUT_MS,
      }),
    previewErase: (scope: asked.ForgetScope) =>
      ask<answers.ForgetPreview>(withQuery('/api/memory/scope', scope), { timeoutMs: ERASE_TIMEOUT_MS }),
    /** Only once a person has confirmed. */
    eraseScope: (scope: asked.ForgetScope & { ids?: string[] }) => post<answers.ForgetAnswer>('/api/memory/erase', scope, SCOPE_TIMEOUT_MS),
    listRelated: (ids: string[]) => ask<answers.ListAnswer>(`${memories(ids)}/related`),
    /** Hidden ones too: for whoever decides about them. */
    readMemoriesToForget: (ids: string[]) => post<answers.BatchAnswer>('/api/observations/batch', { ids, hidden: true }),
    unhide: (ids: string[]) => post<answers.UnhideAnswer>('/api/memory/unhide', { ids }),
    listHidden: () => ask<answers.HiddenAnswer>('/api/memory/hidden'),
    /** Only for a person. */
    correct: (id: string, correction: asked.CorrectionParameters) =>
      ask<answers.CorrectionAnswer>(memories([id]), { method: 'PATCH', body: correction }),
    /** Only for a person. */
    replace: (said: asked.ReplaceParameters) => post<answers.ReplaceAnswer>('/api/memory/replace', said),
    listRules: (parameters: asked.RulesParameters) => ask<answers.RulesAnswer>(withQuery('/api/rules', parameters)),
    /** Only for a person. */
    changeRule: (said: asked.RuleParameters) => post<answers.RuleChangeAnswer>('/api/rules', said),
    distrust: (parameters: asked.BlockParameters) => post<answers.DistrustAnswer>('/api/memory/block', parameters),
    previewContext: (parameters: asked.PreviewParameters) => ask<PreviewAnswer>(withQuery('/api/context/preview', parameters)),
    replayContext: (session: string) => ask<ReplayAnswer>(withQuery('/api/context/replay', { session })),
    listProjects: (parameters: { limit?: number; offset?: number } = {}) => ask<ProjectsAnswer>(withQuery('/api/projects', parameters)),
    /** Only for a person. */
    separateFolder: (said: { folder: string }) => post<SeparateAnswer>('/api/projects/separate', said, MERGE_TIMEOUT_MS),
    mergeProjects: (merge: { from: string; into: string }) => post<MergeAnswer>('/api/projects/merge', merge, MERGE_TIMEOUT_MS),
    renameProject: (rename: { project: string; name: string }) => ask<RenameAnswer>('/api/projects', { method: 'PATCH', body: rename }),
    listDistrusted: () => ask<answers.DistrustAnswer>('/api/memory/block'),
  };
}

type Parameters = Record<string, string | number | boolean | string[] | undefined>;

/** What is not said is left out; lists are separated by commas; a query is cut to what a request can carry. */
export function withQuery(route: string, parameters: Parameters): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === false || value === '') continue;
    query.set(name, name === 'query' || name === 'prompt' ? cutQuery(String(value)) : String(value));
  }
  return query.size === 0 ? route : `${route}?${query}`;
}

/** The worker refuses what an agent says in a pause; that a session is private only its own processes know. */
export const refuseIncognito = (api: MemoryApi): MemoryApi => ({
  ...api,
  remember: async (said) => {
    if (!isIncognito()) return api.remember(said);
    throw new Error(
      'This session is private: nothing of it is kept. Only the user can say it now, in a terminal of their own: claude-mem remember.',
    );
  },
});
