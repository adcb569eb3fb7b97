// Every route of the worker, on one app.
import type { ProcessingState } from '../watch/processing.ts';
import { limitAgents } from './agent-limit.ts';
import type { Api } from './route.ts';
import { addContextRoutes } from './routes/context-routes.ts';
import { addContradictionRoutes } from './routes/contradiction-routes.ts';
import { addFeedRoutes } from './routes/feed-routes.ts';
import { addHealthRoute, type HealthDeps } from './routes/health-route.ts';
import { addHostSessionRoutes } from './routes/host-session-routes.ts';
import { addImportRoutes } from './routes/import-routes.ts';
import { addIndexRoutes, type IndexRoutesDeps } from './routes/index-routes.ts';
import { addInjectRoutes, type InjectDeps } from './routes/inject-routes.ts';
import { addJobRoutes, type JobRoutesDeps } from './routes/job-routes.ts';
import { addLogRoutes } from './routes/log-routes.ts';
import { addMcpRoutes, type McpRoutesDeps } from './routes/mcp-routes.ts';
import { addMemoryRoutes, type MemoryRoutesDeps } from './routes/memory-routes.ts';
import { addOpenApiRoutes } from './routes/openapi-routes.ts';
import { addProcessingRoutes } from './routes/processing-routes.ts';
import { addSeedSessionRoutes, type SeedSessionDeps } from './routes/seed-session-routes.ts';
import { addSessionRoutes } from './routes/session-routes.ts';
import { addSettingsRoutes, type SettingsDeps } from './routes/settings-routes.ts';
import { addSilenceRoutes } from './routes/silence-routes.ts';
import { addStreamRoutes } from './routes/stream-routes.ts';
import { addTokenRoutes, type TokenRoutesDeps } from './routes/token-routes.ts';
import type { Streams } from './streams.ts';

export type RoutesDeps = MemoryRoutesDeps &
  InjectDeps &
  JobRoutesDeps &
  SeedSessionDeps &
  HealthDeps &
  McpRoutesDeps &
  SettingsDeps &
  TokenRoutesDeps & { index: IndexRoutesDeps; processing: ProcessingState; streams: Streams };

export function addAllRoutes(api: Api, deps: RoutesDeps): void {
  limitAgents(api, deps);
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
  addContradictionRoutes(api, deps);
  addInjectRoutes(api, deps);
  addJobRoutes(api, deps);
  addImportRoutes(api, { ...deps, home: deps.home ?? '', options: deps.config });
  addSettingsRoutes(api, deps);
  addLogRoutes(api, deps);
  addMcpRoutes(api, deps);
  addOpenApiRoutes(api, deps.version);
}
