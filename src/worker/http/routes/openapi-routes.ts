// The route of the OpenAPI document.
import { z } from 'zod';
import { describeApi, type OpenApi } from '../openapi.ts';
import { type Api, addRoute } from '../route.ts';

export function addOpenApiRoutes(api: Api, version: string): void {
  let made: OpenApi | null = null;
  addRoute(
    api,
    {
      method: 'GET',
      path: '/api/openapi.json',
      about: 'This document: every route, what it takes and what it answers.',
      answers: { 200: z.record(z.string(), z.unknown()) },
    },
    ({ c }) => {
      // Once somebody asks there are no more routes to come.
      made ??= describeApi(api.routes, version);
      return c.json(made);
    },
  );
}
