// All routes about memories, on one app.

import type { Api } from '../route.ts';
import { addCorrectionRoutes } from './correction-routes.ts';
import { addFileHistoryRoutes } from './file-history-routes.ts';
import { addForgetRoutes, type ForgetRoutesDeps } from './forget-routes.ts';
import { addMemoriesRoutes, type MemoriesDeps } from './memories-routes.ts';
import { addProjectRoutes, type ProjectRoutesDeps } from './project-routes.ts';
import { addRecapRoutes } from './recap-routes.ts';
import { addRememberRoutes, type RememberDeps } from './remember-routes.ts';
import { addRuleRoutes } from './rule-routes.ts';
import { addSearchRoutes, type SearchRoutesDeps } from './search-routes.ts';
import { addSessionsRoutes } from './sessions-routes.ts';
import { addTimelineRoutes, type TimelineDeps } from './timeline-routes.ts';

export type MemoryRoutesDeps = SearchRoutesDeps &
  MemoriesDeps &
  TimelineDeps &
  RememberDeps &
  ForgetRoutesDeps &
  ProjectRoutesDeps;

export function addMemoryRoutes(api: Api, deps: MemoryRoutesDeps): void {
  addSearchRoutes(api, deps);
  addMemoriesRoutes(api, deps);
  addSessionsRoutes(api, deps);
  addProjectRoutes(api, deps);
  addTimelineRoutes(api, deps);
  addFileHistoryRoutes(api, deps);
  addRecapRoutes(api, deps);
  addRememberRoutes(api, deps);
  addForgetRoutes(api, deps);
  addCorrectionRoutes(api, deps);
  addRuleRoutes(api, deps);
}
