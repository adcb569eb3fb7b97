// The port of the viewer, held from the start, so that a starting session can be given its address though the server opens a moment later.
import { readOwnFile, writeOwnFile } from '../../own-files.ts';

/** No setting can change this: what is kept here is for this machine alone. */
export const LOOPBACK = '127.0.0.1';
const MOST_TRIES = 50;

export const portsFrom = (first: number) => Array.from({ length: MOST_TRIES }, (_, at) => first + at).filter((port) => port < 65_536);

type HeldPort = {
  port: number;
  address: string;
  /** To be called just before the server takes it. */
  release: () => void;
};

/** The one it had last, if the settings allow it, else the first free one; null when there is none, or none is wanted. */
export function holdPort(first: number, last: number | null = null): HeldPort | null {
  if (first === 0) return null;
  const ports = portsFrom(first);
  for (const port of last !== null && ports.includes(last) ? [last, ...ports] : ports) {
    try {
      // Whoever comes so early comes again.
      const socket = { open: (one: { terminate: () => void }) => one.terminate(), data: () => undefined };
      const listener = Bun.listen({ hostname: LOOPBACK, port, socket });
      return { port, address: `http://${LOOPBACK}:${port}`, release: () => listener.stop(true) };
    } catch {
      // Somebody is there: the next one.
    }
  }
  return null;
}

/** Null: there was none, or nobody knows. */
export function readLastPort(path: string): number | null {
  try {
    return Number(readOwnFile(path)) || null;
  } catch {
    // The first start, or a file that cannot be read: the first free one does.
    return null;
  }
}

export function keepLastPort(path: string, port: number): void {
  try {
    if (readLastPort(path) !== port) writeOwnFile(path, `${port}\n`);
  } catch {
    // A full disk: the next start looks from the first one on.
  }
}
