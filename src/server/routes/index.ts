// Every route of the worker, in one table.
import type { Route } from '../http/route.ts';
import { type CorrectionDeps, correctionRoutes } from './corrections.ts';
import { type DataDeps, dataRoutes } from './data.ts';
import { type McpDeps, mcpRoutes } from './mcp.ts';
import { memoryRoutes } from './memories.ts';
import { type ContextDeps, contextRoutes, type PagesDeps, pageRoutes } from './pages.ts';
import { pauseRoutes } from './pauses.ts';
import { type ProjectDeps, projectRoutes } from './projects.ts';
import { type SearchDeps, searchRoutes } from './search.ts';
import { type SessionEventDeps, sessionEventRoutes } from './session-events.ts';
import { type SettingsDeps, settingsRoutes } from './settings.ts';
import { type WorkerRoutesDeps, workerRoutes } from './worker.ts';

type RouteDeps = ContextDeps &
  CorrectionDeps &
  DataDeps &
  McpDeps &
  PagesDeps &
  ProjectDeps &
  SearchDeps &
  SessionEventDeps &
  SettingsDeps &
  WorkerRoutesDeps;

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
