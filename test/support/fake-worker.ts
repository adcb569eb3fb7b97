// A worker's HTTP door that answers what a test says, on the socket where the real one would be.
import { mkdirSync } from 'node:fs';
import type { Paths } from '../../src/paths.ts';

export type Asked = { method: string; path: string; query: Record<string, string>; body: unknown };

/** What is answered to a request; a Response as it is, anything else as JSON. */
export type FakeAnswer = (asked: Asked) => unknown;

export function serveFakeWorker(paths: Paths, answer: FakeAnswer) {
  mkdirSync(paths.dataDir, { recursive: true, mode: 0o700 });
  const asked: Asked[] = [];
  const server = Bun.serve({
    unix: paths.httpSocket,
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      const text = await request.text();
      const one: Asked = {
        method: request.method,
        path: pathname,
        query: Object.fromEntries(searchParams),
        body: text ? JSON.parse(text) : null,
      };
      asked.push(one);
      const said = await answer(one);
      return said instanceof Response ? said : Response.json(said);
    },
  });
  return { asked, close: () => server.stop(true) };
}
