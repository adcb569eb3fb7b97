// The port of the web door, held from the start, so that a starting session can be told its address though the door opens a moment later.
import { readOwnFile, writeOwnFile } from '../../../own-files.ts';

const LOOPBACK = '127.0.0.1';
const MOST_TRIES = 50;

export type HeldPort = {
  port: number;
  address: string;
  /** To be called just before the door takes it. */
  release: () => void;
};

/** The one it had last, if the settings allow it, else the first free one; null when there is none, or none is wanted. */
export function holdPort(first: number, last: number | null = null): HeldPort | null {
  if (first === 0) return null;
  const end = Math.min(first + MOST_TRIES, 65_536);
  if (last !== null && last >= first && last < end) {
    const held = tryHold(last);
    if (held) return held;
  }
  for (let port = first; port < end; port += 1) {
    const held = tryHold(port);
    if (held) return held;
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
  if (readLastPort(path) === port) return;
  try {
    writeOwnFile(path, `${port}\n`);
  } catch {
    // A full disk: the next start looks from the first one on.
  }
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
