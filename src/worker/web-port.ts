// Where the web door will be: known at once, so that a starting session can be told, though the door opens a moment later.

const LOOPBACK = '127.0.0.1';
const MOST_TRIES = 50;

/** The first free port from this one on; null when there is none, or none is wanted. */
export function findFreePort(first: number): number | null {
  if (first === 0) return null;
  for (let port = first; port < first + MOST_TRIES && port < 65_536; port += 1) if (isFree(port)) return port;
  return null;
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: LOOPBACK, port, socket: { data: () => undefined } }).stop(true);
    return true;
  } catch {
    // Somebody is there: the answer.
    return false;
  }
}

export const addressOf = (port: number) => `http://${LOOPBACK}:${port}`;
