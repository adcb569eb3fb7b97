// Holds an answer against what its route says that it answers.
import { expect } from 'bun:test';
import type { Route } from '../../src/server/http/route.ts';
import type { Reply } from './worker-app.ts';

/** As the app does: the first that was added. */
export function findRoute(routes: Route[], method: string, url: string): Route {
  const { pathname } = new URL(url, 'http://localhost');
  const found = routes.find((route) => {
    const pattern = route.path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+');
    return route.method === method && new RegExp(`^${pattern}$`).test(pathname);
  });
  if (!found) throw new Error(`There is no route ${method} ${pathname}`);
  return found;
}

/** Every field is declared, and is what it was declared to be. */
export function checkAnswer(route: Route, { status, body }: Reply): void {
  const schema = route.answers[status];
  if (!schema || typeof schema === 'string') throw new Error(`${route.path} answers ${status}: ${JSON.stringify(body)}`);
  const result = schema.safeParse(body);
  expect(result.error?.issues ?? []).toEqual([]);
  // What is not declared is not in it.
  expect(result.data).toEqual(body);
}
