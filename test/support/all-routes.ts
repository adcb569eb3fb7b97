// What every route of the worker says of itself, with nothing behind it: for tests that list routes and never call them.

import { addAllRoutes } from '../../src/worker/http/add-all-routes.ts';
import { createApi } from '../../src/worker/http/app.ts';
import type { RouteSpec } from '../../src/worker/http/route.ts';

export function listAllRoutes(): RouteSpec[] {
  const api = createApi({} as never);
  addAllRoutes(api, { index: {}, version: 'test' } as never);
  return api.routes;
}
