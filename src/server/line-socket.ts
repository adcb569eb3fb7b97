// The hooks' socket: newline-separated JSON, one answer line for each message.

import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';
import type { Socket } from 'bun';
import { createLineReader, type LineReader } from '../core/line-reader.ts';

export type LineHandler = (line: string) => Promise<string> | string;

/** A hook sends at most about a megabyte; whoever sends more is not a hook. */
const MAX_LINE = 16 * 1024 * 1024;
const MAX_CONNECTIONS = 1000;
/** A hook speaks at once; who says nothing for so long gives its place to others. */
const IDLE_MS = 30_000;

type Connection = { lines: LineReader; unsent: Buffer; idle: Timer };

export function listenForLines(path: string, handle: LineHandler, idleMs = IDLE_MS) {
  const open = new Set<Socket<Connection>>();
  const bind = (unix: string) => {
    const listener = Bun.listen<Connection>({
      unix,
      socket: {
        open(socket) {
          open.add(socket);
          // Not socket.timeout(): that counts from the opening, whatever was said since.
          const idle = setTimeout(() => socket.end(), idleMs);
          const lines = createLineReader(
            MAX_LINE,
            (line) => answer(socket, handle, line),
            () => socket.terminate(),
          );
          socket.data = { lines, unsent: Buffer.alloc(0), idle };
          // Room for the newest: hooks come and go, whoever stays longest is none.
          const [oldest] = open;
          if (open.size > MAX_CONNECTIONS) oldest?.terminate();
        },
        data(socket, bytes) {
          socket.data.idle.refresh();
          socket.data.lines.push(bytes);
        },
        drain: flush,
        close: (socket) => {
          clearTimeout(socket.data.idle);
          open.delete(socket);
        },
        error: (socket) => socket.terminate(),
      },
    });
    return { stop: (isEnd: boolean) => listener.stop(isEnd) };
  };
  return { ...placeSocket(path, bind), connections: () => open.size };
}

async function answer(socket: Socket<Connection>, handle: LineHandler, line: string): Promise<void> {
  if (line.trim() === '') return;
  const reply = await handle(line);
  socket.data.unsent = Buffer.concat([socket.data.unsent, Buffer.from(`${reply}\n`)]);
  flush(socket);
}

/** write() may take only a part; the rest goes when the socket drains. */
function flush(socket: Socket<Connection>): void {
  const { unsent } = socket.data;
  if (unsent.length > 0) socket.data.unsent = unsent.subarray(Math.max(0, socket.write(unsent)));
}

export type OwnSocket = ReturnType<typeof placeSocket>;

/** `bind` listens at the given path; `stop` ends that, and the connections that are open, only when told so. */
type Server = { stop: (isEnd: boolean) => Promise<void> | void };

export function placeSocket(path: string, bind: (path: string) => Server) {
  const own = `${path}.${process.pid}`;
  let server: Server;
  let ino: number;
  const place = () => {
    // Left by another process of our number.
    rmSync(own, { force: true });
    const next = bind(own);
    chmodSync(own, 0o600);
    // Atomic: replaces the socket of a dead worker, and there is never a moment without one.
    renameSync(own, path);
    ino = statSync(path).ino;
    return next;
  };
  const isPresent = () => statSync(path, { throwIfNoEntry: false })?.ino === ino;
  let isHidden = false;
  const hide = () => {
    isHidden = true;
    // Another worker may have put its own there, if the folder was moved away from under us.
    if (isPresent()) rmSync(path);
  };
  server = place();
  return {
    /** Hooks and commands find us by it. */
    isPresent,
    /** Nobody finds us any more; who is connected is still answered. */
    hide,
    /** Binds it again where it is gone or not ours; true when it had to. */
    keep() {
      if (isHidden || isPresent()) return false;
      const before = server;
      server = place();
      // Whoever is connected is still answered.
      before.stop(false);
      return true;
    },
    /** Ends what serves it; the file goes if it is ours. */
    async close() {
      await server.stop(true);
      hide();
    },
  };
}
