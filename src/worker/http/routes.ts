// Every route of the worker, on one app.
import type { ProcessingState } from '../processing.ts';
import { addContextRoutes } from './context-routes.ts';
import { addFeedRoutes } from './feed-routes.ts';
import { addHealthRoute, type HealthDeps } from './health-route.ts';
import { addHostSessionRoutes } from './host-session-routes.ts';
import { addImportRoutes } from './import-routes.ts';
import { addIndexRoutes, type IndexRoutesDeps } from './index-routes.ts';
import { addInjectRoutes, type InjectDeps } from './inject-routes.ts';
import { addJobRoutes, type JobRoutesDeps } from './job-routes.ts';
import { addLogRoutes } from './log-routes.ts';
import { addMcpRoutes, type McpRoutesDeps } from './mcp-routes.ts';
import { addMemoryRoutes, type MemoryRoutesDeps } from './memory-routes.ts';
import { addOpenApiRoutes } from './openapi-routes.ts';
import { addProcessingRoutes } from './processing-routes.ts';
import type { Api } from './route.ts';
import { addSeedSessionRoutes, type SeedSessionDeps } from './seed-session-routes.ts';
import { addSessionRoutes } from './session-routes.ts';
import { addSettingsRoutes, type SettingsDeps } from './settings-routes.ts';
import { addSilenceRoutes } from './silence-routes.ts';
import { addStreamRoutes } from './stream-routes.ts';
import type { Streams } from './streams.ts';
import { addTokenRoutes, type TokenRoutesDeps } from './token-routes.ts';

export type RoutesDeps = MemoryRoutesDeps &
  InjectDeps &
  JobRoutesDeps &
  SeedSessionDeps &
  HealthDeps &
  McpRoutesDeps &
  SettingsDeps &
  TokenRoutesDeps & { index: IndexRoutesDeps; processing: ProcessingState; streams: Streams };

export function addAllRoutes(api: Api, deps: RoutesDeps): void {
  addHealthRoute(api, deps);
  addTokenRoutes(api, deps);
  addSeedSessionRoutes(api, deps);
  addHostSessionRoutes(api, deps);
  addProcessingRoutes(api, deps.processing);
  addStreamRoutes(api, deps.streams);
  addIndexRoutes(api, deps.index);
  // Before the routes of memories: what an agent says in a silence is refused.
  addSilenceRoutes(api, deps);
  addFeedRoutes(api, deps);
  addMemoryRoutes(api, deps);
  addSessionRoutes(api, deps);
  addContextRoutes(api, deps);
  addInjectRoutes(api, deps);
  addJobRoutes(api, deps);
  addImportRoutes(api, { ...deps, home: deps.home ?? '', options: deps.config });
  addSettingsRoutes(api, deps);
  addLogRoutes(api, deps);
  addMcpRoutes(api, deps);
  addOpenApiRoutes(api, deps.version);
}
