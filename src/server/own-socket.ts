// A socket file of ours: bound beside its place and renamed into it; bound again when somebody removes or replaces it.
import { chmodSync, renameSync, rmSync, statSync } from 'node:fs';

export type OwnSocket = {
  /** Hooks and commands find us by it. */
  isPresent: () => boolean;
  /** Binds it again where it is gone or not ours; true when it had to. */
  keep: () => boolean;
  /** Ends what serves it; the file goes if it is ours. */
  close: () => Promise<void>;
};

/** `bind` listens at the given path; `stop` ends that, and the connections that are open, only when told so. */
export type Server = { stop: (isEnd: boolean) => Promise<void> | void };

export function placeSocket(path: string, bind: (path: string) => Server): OwnSocket {
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
  server = place();
  return {
    isPresent,
    keep() {
      if (isPresent()) return false;
      const before = server;
      server = place();
      // Whoever is connected is still answered.
      before.stop(false);
      return true;
    },
    async close() {
      await server.stop(true);
      // Another worker may have put its own there, if the folder was moved away from under us.
      if (isPresent()) rmSync(path);
    },
  };
}
