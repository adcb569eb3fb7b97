// What every route of the worker says of itself, with nothing behind it: for tests that list routes and never call them.
import { createApi } from '../../src/server/http/api.ts';
import type { Route } from '../../src/server/http/route.ts';
import { allRoutes } from '../../src/server/routes/index.ts';

export const listAllRoutes = (): Route[] => createApi(allRoutes({} as never), { version: 'test' } as never).routes;
