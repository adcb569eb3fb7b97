// Serving the HTTP app on a unix socket: reachable by this user's programs, by no browser.
import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';

export type Answer = (request: Request) => Response | Promise<Response>;

/** Longer than a stream is silent: it gives a sign of life every few seconds. */
const IDLE_SECONDS = 60;

export function serveHttp(path: string, answer: Answer): { close: () => Promise<void> } {
  const own = `${path}.${process.pid}`;
  const server = Bun.serve({
    unix: own,
    fetch(request, serving) {
      serving.timeout(request, IDLE_SECONDS);
      return answer(request);
    },
  });
  chmodSync(own, 0o600);
  renameSync(own, path);
  const { ino } = statSync(path);
  return {
    close: async () => {
      await server.stop(true);
      if (statSync(path, { throwIfNoEntry: false })?.ino === ino) rmSync(path);
    },
  };
}
