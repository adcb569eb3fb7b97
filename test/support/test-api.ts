// The HTTP API with the routes that a test adds, called without a socket.
import { createApi } from '../../src/worker/http/app.ts';
import type { Api } from '../../src/worker/http/route.ts';
import { checkAnswer, findRoute } from './check-answer.ts';
import type { Reply } from './worker-app.ts';

export type TestApi = {
  api: Api;
  /** An answer that is not as its route says fails the test. */
  call: (method: string, route: string, body?: unknown) => Promise<Reply>;
  /** What went wrong and was logged. */
  problems: string[];
};

export function createTestApi(add: (api: Api) => void): TestApi {
  const problems: string[] = [];
  const note = (message: string, details?: object) => problems.push(`${message} ${JSON.stringify(details)}`);
  const unasked = () => {
    throw new Error('nobody asks for it here');
  };
  const log = { debug: () => undefined, info: () => undefined, warn: note, error: note };
  const api = createApi({ readStatus: unasked, readStats: unasked, log });
  add(api);
  return {
    api,
    problems,
    async call(method, route, body) {
      const said = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const response = await api.app.request(
        route,
        { method, body: said ?? null },
        { door: 'socket', isTrusted: true },
      );
      const reply = { status: response.status, body: await response.json() };
      if (response.ok) checkAnswer(findRoute(api.routes, method, route), reply);
      return reply;
    },
  };
}
