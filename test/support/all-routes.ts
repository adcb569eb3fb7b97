// What every route of the worker says of itself, with nothing behind it: for tests that list routes and never call them.
import { type Api, createApi } from '../../src/server/http/api.ts';
import type { Route } from '../../src/server/http/route.ts';
import { allRoutes } from '../../src/server/routes/index.ts';

type Json = { [key: string]: unknown };
export type Operation = Record<'operationId' | 'summary', string> &
  Record<'responses' | 'requestBody', Json> & {
    security?: unknown;
    parameters: Json[];
  };
type OpenApi = { paths: Record<string, Record<string, Operation>>; components: { schemas: Json } };

const makeApi = (routes = allRoutes({} as never)): Api => createApi(routes, { version: '1.2.3' } as never);

export const listAllRoutes = (): Route[] => makeApi().routes;

/** The OpenAPI document, as the worker gives it. */
export async function readOpenApi(routes?: Route[]): Promise<OpenApi> {
  const response = await makeApi(routes).app.request('/api/openapi.json', {}, { isTrusted: true });
  return response.json() as Promise<OpenApi>;
}
