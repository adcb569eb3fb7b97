// All routes about memories, on one app.
import type { Hono } from 'hono';
import { addCorrectionRoutes } from './correction-routes.ts';
import { addFileHistoryRoutes } from './file-history-routes.ts';
import { addForgetRoutes, type ForgetRoutesDeps } from './forget-routes.ts';
import { addMemoriesRoutes, type MemoriesDeps } from './memories-routes.ts';
import { addProjectRoutes, type ProjectRoutesDeps } from './project-routes.ts';
import { addRecapRoutes } from './recap-routes.ts';
import { addRememberRoutes, type RememberDeps } from './remember-routes.ts';
import { addSearchRoutes, type SearchRoutesDeps } from './search-routes.ts';
import { addSessionsRoutes } from './sessions-routes.ts';
import { addTimelineRoutes, type TimelineDeps } from './timeline-routes.ts';

export type MemoryRoutesDeps = SearchRoutesDeps &
  MemoriesDeps &
  TimelineDeps &
  RememberDeps &
  ForgetRoutesDeps &
  ProjectRoutesDeps;

export function addMemoryRoutes(app: Hono, deps: MemoryRoutesDeps): void {
  addSearchRoutes(app, deps);
  addMemoriesRoutes(app, deps);
  addSessionsRoutes(app, deps);
  addProjectRoutes(app, deps);
  addTimelineRoutes(app, deps);
  addFileHistoryRoutes(app, deps);
  addRecapRoutes(app, deps);
  addRememberRoutes(app, deps);
  addForgetRoutes(app, deps);
  addCorrectionRoutes(app, deps);
}
