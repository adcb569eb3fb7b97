// A hook's stdin, chunk by chunk. Hot path: no imports but where things are.
import { isStdinSocket } from '../paths.ts';
import type { NextChunk } from './read-payload.ts';

/** What has come so far. */
export type Stdin = {
  chunks: Uint8Array[];
  bytes: number;
  isOver: boolean;
  /** Resolves when there is more, or no more. */
  more: () => Promise<void>;
};

/** Of stdin that is a socket, as agents make it: Bun's stream starts two threads to close it. Anything else Bun would close unread. */
export function openStdin(): Stdin {
  let wake: () => void = () => undefined;
  const stdin: Stdin = {
    chunks: [],
    bytes: 0,
    isOver: false,
    more: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
  };
  const data = (_: unknown, bytes: Uint8Array) => {
    stdin.chunks.push(bytes);
    stdin.bytes += bytes.length;
    wake();
  };
  const end = () => {
    stdin.isOver = true;
    wake();
  };
  // Bun's types do not know `fd`.
  const options = { fd: 0, socket: { data, end, close: end, error: end } } as unknown as Bun.UnixSocketOptions;
  Bun.connect(options).catch(end);
  return stdin;
}

/** Whatever it is. `opened`: what has been read of it already comes first. */
export function readStdin(opened: Stdin | null = isStdinSocket() ? openStdin() : null): NextChunk {
  if (opened === null) {
    const reader = Bun.stdin.stream().getReader();
    return async () => (await reader.read()).value;
  }
  return async () => {
    while (opened.chunks.length === 0 && !opened.isOver) await opened.more();
    return opened.chunks.shift();
  };
}
