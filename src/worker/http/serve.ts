// Serving the HTTP app on a unix socket: reachable by this user's programs, by no browser.
import { type OwnSocket, placeSocket } from '../../server/own-socket.ts';

export type Answer = (request: Request) => Response | Promise<Response>;

/** Longer than a stream is silent: it gives a sign of life every few seconds. */
const IDLE_SECONDS = 60;

export function serveHttp(path: string, answer: Answer): OwnSocket {
  return placeSocket(path, (unix) =>
    Bun.serve({
      unix,
      fetch(request, serving) {
        serving.timeout(request, IDLE_SECONDS);
        return answer(request);
      },
    }),
  );
}
