// The port of the web door, held from the start, so that a starting session can be told its address though the door opens a moment later.

const LOOPBACK = '127.0.0.1';
const MOST_TRIES = 50;

export type HeldPort = {
  port: number;
  address: string;
  /** To be called just before the door takes it. */
  release: () => void;
};

/** The first free port from this one on; null when there is none, or none is wanted. */
export function holdPort(first: number): HeldPort | null {
  if (first === 0) return null;
  for (let port = first; port < first + MOST_TRIES && port < 65_536; port += 1) {
    const held = tryHold(port);
    if (held) return held;
  }
  return null;
}

function tryHold(port: number): HeldPort | null {
  try {
    // Whoever comes so early comes again.
    const socket = { open: (one: { terminate: () => void }) => one.terminate(), data: () => undefined };
    const listener = Bun.listen({ hostname: LOOPBACK, port, socket });
    return { port, address: `http://${LOOPBACK}:${port}`, release: () => listener.stop(true) };
  } catch {
    // Somebody is there: the next one.
    return null;
  }
}
