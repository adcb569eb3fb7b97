// Calls of the worker's HTTP API over its unix socket.
import type { Paths } from '../paths.ts';

/** Null when no worker answers. */
export async function callApi(paths: Paths, route: string, timeoutMs = 2000): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(`http://localhost${route}`, {
      unix: paths.httpSocket,
      signal: AbortSignal.timeout(timeoutMs),
    });
  } catch {
    // Nobody listens: that is the answer.
    return null;
  }
  if (!response.ok) throw new Error(`The worker answered ${response.status} to ${route}.`);
  return response.json();
}
