// Every route of the worker, in one table, and what they need of it.
import type { ReportDeps } from '../../capture/told-session.ts';
import type { PreviewDeps } from '../../context/preview.ts';
import type { MemoryRef } from '../../core/memory.ts';
import type { Restored } from '../../core/shapes/job.ts';
import type { Forget } from '../../forget/forget.ts';
import type { ChooseDeps } from '../../import/import.ts';
import type { Paths } from '../../paths.ts';
import type { Finder } from '../../search/find.ts';
import type { Indexing } from '../../search/indexing.ts';
import type { SyncLoop } from '../../sync/loop.ts';
import type { Processing } from '../activity-flag.ts';
import type { HealthFacts } from '../health.ts';
import type { Route } from '../http/route.ts';
import type { Links, Token } from '../http/token.ts';
import type { Jobs } from '../jobs.ts';
import type { StatsDeps, StatusDeps } from '../status.ts';
import type { Stream } from '../stream.ts';
import { correctionRoutes } from './corrections.ts';
import { dataRoutes } from './data.ts';
import { mcpRoutes } from './mcp.ts';
import { memoryRoutes } from './memories.ts';
import { contextRoutes, pageRoutes } from './pages.ts';
import { pauseRoutes } from './pauses.ts';
import { projectRoutes } from './projects.ts';
import { searchRoutes } from './search.ts';
import { sessionEventRoutes } from './session-events.ts';
import { settingsRoutes } from './settings.ts';
import { workerRoutes } from './worker.ts';

/** `db`, `clock`, and `config` as it is at each call: of what the context and reports need. */
export type RouteDeps = PreviewDeps &
  Pick<ReportDeps, 'take'> & {
    paths: Paths;
    version: string;
    /** Settings that a variable of the worker decides. */
    fromVariables: readonly string[];
    /** Without what the routes of memories need. */
    facts: HealthFacts & StatsDeps & Omit<StatusDeps, 'index'>;
    forget: Forget;
    finder: Finder;
    /** The best hit of a search in these projects; null when nothing is relevant. */
    findBest: (query: string, scope: { projectIds: number[] | null }) => Promise<MemoryRef | null>;
    index: Pick<Indexing, 'status' | 'reindex'>;
    /** Why there are no vectors to search in, when they should be there. */
    readIndexProblem?: () => string | null;
    jobs: Jobs;
    choosing: ChooseDeps;
    sync: Pick<SyncLoop, 'now'>;
    stream: Stream;
    processing: Processing;
    token: Pick<Token, 'read' | 'rotate'>;
    links: Links;
    /** Of the viewer, once it is open; null when there is none. */
    address: () => Promise<string | null> | string | null;
    /** Of the viewer; null while there is none. */
    port: () => number | null;
    /** A client that asks is there: the worker does not end on it. */
    onActivity: () => void;
    onStored: () => void;
    onRenamed?: () => void;
    retry: () => number;
    restore?: { ask: (copy: string) => void; last: Restored | null };
    /** Processes what is ready in a project, for at most so long. */
    finishProject?: (projectId: number, budgetMs: number) => Promise<void>;
    /** Cuts off the question that is put to a model about this session; resolves when it has ended. */
    stopSession: (sessionId: number) => Promise<void>;
    timeoutMs: () => number;
  };

export const allRoutes = (deps: RouteDeps): Route[] => [
  ...workerRoutes(deps),
  ...sessionEventRoutes(deps),
  ...pauseRoutes(deps),
  ...searchRoutes(deps),
  ...memoryRoutes(deps),
  ...correctionRoutes(deps),
  ...pageRoutes(deps),
  ...projectRoutes(deps),
  ...contextRoutes(deps),
  ...settingsRoutes(deps),
  ...dataRoutes(deps),
  ...mcpRoutes(deps),
];
