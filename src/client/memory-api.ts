// The questions that can be put to the memory, over the worker's HTTP API. Each starts the worker if it must.

import { type AgentPlace, agentHeader } from '../core/agent-header.ts';
import type { PreviewAnswer, PreviewParameters, ReplayAnswer } from '../core/context.ts';
import type {
  CorrectionAnswer,
  CorrectionParameters,
  DistrustAnswer,
  DistrustParameters,
  ReplaceAnswer,
  ReplaceParameters,
} from '../core/correction.ts';
import type { MergeAnswer, ProjectsAnswer, RenameAnswer, SeparateAnswer } from '../core/project.ts';
import type { RuleChangeAnswer, RuleParameters, RulesAnswer } from '../core/rules.ts';
import type {
  BatchAnswer,
  EraseParameters,
  FileHistoryAnswer,
  ForgetAnswer,
  ForgetPreview,
  ForgetScope,
  HiddenAnswer,
  ListAnswer,
  RecapAnswer,
  RecapParameters,
  SaveAnswer,
  SaveParameters,
  SearchAnswer,
  SearchParameters,
  SessionSearchAnswer,
  TimelineAnswer,
  TimelineParameters,
  UnhideAnswer,
} from '../core/search.ts';
import type { SessionPage, SessionsAnswer } from '../core/session.ts';
import type { Paths } from '../paths.ts';
import { askWorker, type Call } from './api.ts';
import { cutQuery } from './cut-query.ts';

/** Every file is looked through for remains. */
const ERASE_TIMEOUT_MS = 120_000;

/** A project of years, slice by slice. */
const SCOPE_TIMEOUT_MS = 900_000;

/** All of a project goes in one piece. */
const MERGE_TIMEOUT_MS = 60_000;

export type MemoryApi = ReturnType<typeof createMemoryApi>;

/** What each promises and how it fails is in core/search.ts: the worker is ours, so its answers are trusted to keep to it. */
export function createMemoryApi(paths: Paths, agent?: AgentPlace) {
  const headers = agent ? agentHeader(agent) : {};
  const ask = <Answer>(route: string, call?: Call) => askWorker(paths, route, { ...call, headers }) as Promise<Answer>;
  const memories = (ids: string[]) => `/api/observations/${encodeURIComponent(ids.join(','))}`;
  return {
    search: (parameters: SearchParameters) => ask<SearchAnswer>(withQuery('/api/search', parameters)),
    searchSessions: (parameters: SearchParameters) =>
      ask<SessionSearchAnswer>(withQuery('/api/search/sessions', parameters)),
    readTimeline: (parameters: TimelineParameters) => ask<TimelineAnswer>(withQuery('/api/timeline', parameters)),
    readMemories: (ids: string[], { full = false }: { full?: boolean | undefined } = {}) =>
      ask<BatchAnswer>('/api/observations/batch', { method: 'POST', body: { ids, ...(full ? { full } : {}) } }),
    readFileHistory: (parameters: { path: string; cwd?: string }) =>
      ask<FileHistoryAnswer>(withQuery('/api/observations/by-file', parameters)),
    recap: (parameters: RecapParameters) => ask<RecapAnswer>(withQuery('/api/recap', parameters)),
    listSessions: (parameters: { project?: string; cwd?: string; all?: boolean; limit?: number }) =>
      ask<SessionsAnswer>(withQuery('/api/sessions', parameters)),
    readSession: (session: string) => ask<SessionPage>(`/api/sessions/${encodeURIComponent(session)}`),
    remember: (parameters: SaveParameters) => ask<SaveAnswer>('/api/memory/save', { method: 'POST', body: parameters }),
    hide: (ids: string[]) => ask<ForgetAnswer>(memories(ids), { method: 'DELETE' }),
    /** Only once a person has confirmed. */
    erase: (ids: string[], { related }: { related: boolean }) =>
      ask<ForgetAnswer>(withQuery(memories(ids), { erase: true, related }), {
        method: 'DELETE',
        timeoutMs: ERASE_TIMEOUT_MS,
      }),
    /** What `eraseScope` would take. */
    previewErase: (scope: ForgetScope) =>
      ask<ForgetPreview>(withQuery('/api/memory/scope', scope), { timeoutMs: ERASE_TIMEOUT_MS }),
    /** Only once a person has confirmed. */
    eraseScope: (asked: EraseParameters) =>
      ask<ForgetAnswer>('/api/memory/erase', { method: 'POST', body: asked, timeoutMs: SCOPE_TIMEOUT_MS }),
    /** What `related` would erase, too. */
    listRelated: (ids: string[]) => ask<ListAnswer>(`${memories(ids)}/related`),
    /** Hidden ones too: for whoever decides about them. */
    readMemoriesToForget: (ids: string[]) =>
      ask<BatchAnswer>('/api/observations/batch', { method: 'POST', body: { ids, hidden: true } }),
    unhide: (ids: string[]) => ask<UnhideAnswer>('/api/memory/unhide', { method: 'POST', body: { ids } }),
    listHidden: () => ask<HiddenAnswer>('/api/memory/hidden'),
    /** Only for a person. */
    correct: (id: string, correction: CorrectionParameters) =>
      ask<CorrectionAnswer>(memories([id]), { method: 'PATCH', body: correction }),
    /** Only for a person. */
    replace: (said: ReplaceParameters) => ask<ReplaceAnswer>('/api/memory/replace', { method: 'POST', body: said }),
    listRules: (parameters: { cwd?: string; project?: string; global?: boolean }) =>
      ask<RulesAnswer>(withQuery('/api/rules', parameters)),
    /** Only for a person. */
    changeRule: (said: RuleParameters) => ask<RuleChangeAnswer>('/api/rules', { method: 'POST', body: said }),
    distrust: (parameters: DistrustParameters) =>
      ask<DistrustAnswer>('/api/memory/distrust', { method: 'POST', body: parameters }),
    previewContext: (parameters: PreviewParameters) =>
      ask<PreviewAnswer>(withQuery('/api/context/preview', parameters)),
    replayContext: (session: string) => ask<ReplayAnswer>(withQuery('/api/context/replay', { session })),
    listProjects: (parameters: { limit?: number; offset?: number } = {}) =>
      ask<ProjectsAnswer>(withQuery('/api/projects', parameters)),
    /** Only for a person. */
    separateFolder: (said: { folder: string }) =>
      ask<SeparateAnswer>('/api/projects/separate', { method: 'POST', body: said, timeoutMs: MERGE_TIMEOUT_MS }),
    mergeProjects: (merge: { from: string; into: string }) =>
      ask<MergeAnswer>('/api/projects/merge', { method: 'POST', body: merge, timeoutMs: MERGE_TIMEOUT_MS }),
    renameProject: (rename: { project: string; name: string }) =>
      ask<RenameAnswer>('/api/projects', { method: 'PATCH', body: rename }),
    listDistrusted: () => ask<DistrustAnswer>('/api/memory/distrust'),
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
