// The HTTP API with the routes that a test gives, called without a socket.
import { type Api, createApi } from '../../src/server/http/api.ts';
import type { Route } from '../../src/server/http/route.ts';
import { checkAnswer, findRoute } from './check-answer.ts';
import type { Reply } from './worker-app.ts';

export type TestApi = {
  api: Api;
  /** An answer that is not as its route says fails the test. */
  call: (method: string, route: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>;
  /** What went wrong and was logged. */
  problems: string[];
};

export function createTestApi(routes: Route[], before?: Parameters<typeof createApi>[1]['before']): TestApi {
  const problems: string[] = [];
  const note = (message: string, details?: object) => problems.push(`${message} ${JSON.stringify(details)}`);
  const log = { debug: () => undefined, info: () => undefined, warn: note, error: note };
  const api = createApi(routes, { version: 'test', log, ...(before ? { before } : {}) });
  return {
    api,
    problems,
    async call(method, route, body, headers = {}) {
      const said = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const response = await api.app.request(route, { method, body: said ?? null, headers }, { isTrusted: true });
      const reply = { status: response.status, body: await response.json() };
      if (response.ok) checkAnswer(findRoute(api.routes, method, route), reply);
      return reply;
    },
  };
}
