// One short question to a worker that may be there: never starts one, never waits long. Built-ins only, for the status line.
import type { Paths } from '../paths.ts';

type Peek = { kind: 'answer'; body: unknown } | { kind: 'asleep' } | { kind: 'busy' };

export async function peek(paths: Paths, route: string, timeoutMs: number): Promise<Peek> {
  try {
    const response = await fetch(`http://localhost${route}`, {
      unix: paths.httpSocket,
      signal: AbortSignal.timeout(timeoutMs),
      keepalive: false,
    });
    return response.ok ? { kind: 'answer', body: await response.json() } : { kind: 'busy' };
  } catch (error) {
    // Nobody listens, or it takes too long: that is the answer.
    return { kind: error instanceof Error && error.name === 'TimeoutError' ? 'busy' : 'asleep' };
  }
}
