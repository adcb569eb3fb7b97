// Serving the HTTP app on a unix socket: reachable by this user's programs, by no browser.
import { chmodSync, renameSync, rmSync } from 'node:fs';
import type { Hono } from 'hono';

export function serveHttp(path: string, app: Hono): { close: () => Promise<void> } {
  const own = `${path}.${process.pid}`;
  const server = Bun.serve({ unix: own, fetch: (request) => app.fetch(request) });
  chmodSync(own, 0o600);
  renameSync(own, path);
  return {
    close: async () => {
      await server.stop(true);
      rmSync(path, { force: true });
    },
  };
}
