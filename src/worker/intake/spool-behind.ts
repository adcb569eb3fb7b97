// Which sessions have files in the spool from before, and who waits for them: what came first is stored first.
import { readOwnFile } from '../../own-files.ts';

type Waiting = { names: string[]; waiters: PromiseWithResolvers<void>[] };

/** Files that are looked at before hooks get their turn. */
const LOOK = 50;

export function createBehind(folder: string) {
  const sessions = new Map<string, Waiting>();
  const owners = new Map<string, string>();
  let indexing: Promise<void> | null = null;

  const readSession = (name: string): string => {
    try {
      return String(JSON.parse(readOwnFile(`${folder}/${name}`)).payload?.session_id ?? '');
    } catch {
      // Whoever stores it finds out what is wrong with it; no session waits for it.
      return '';
    }
  };
  const look = async (list: () => Promise<string[]>) => {
    for (const [at, name] of (await list()).entries()) {
      const session = readSession(name);
      owners.set(name, session);
      const known = sessions.get(session);
      if (known) known.names.push(name);
      else sessions.set(session, { names: [name], waiters: [] });
      if (at % LOOK === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };

  return {
    isLong: () => indexing !== null || sessions.size > 0,
    index: (list: () => Promise<string[]>) => {
      indexing = look(list).finally(() => {
        indexing = null;
      });
      return indexing;
    },
    async before(session: string, drain: () => unknown): Promise<void> {
      await indexing;
      const waiting = sessions.get(session);
      if (!waiting) return;
      const waiter = Promise.withResolvers<void>();
      waiting.waiters.push(waiter);
      drain();
      return waiter.promise;
    },
    /** What somebody waits for, oldest first; null when nobody does. */
    urgent(most: number): string[] | null {
      for (const { names, waiters } of sessions.values()) if (waiters.length > 0) return names.slice(0, most);
      return null;
    },
    done(names: string[]): void {
      const left = new Set(names);
      for (const session of new Set(names.map((name) => owners.get(name) ?? ''))) {
        const waiting = sessions.get(session);
        if (!waiting) continue;
        waiting.names = waiting.names.filter((name) => !left.has(name));
        if (waiting.names.length > 0) continue;
        sessions.delete(session);
        for (const { resolve } of waiting.waiters) resolve();
      }
      for (const name of names) owners.delete(name);
    },
    /** Whoever waits is told to wait in the spool, where the order is kept. */
    giveUp(): void {
      for (const waiting of sessions.values()) {
        for (const { reject } of waiting.waiters) reject(new Error('what came before waits in the offline queue'));
        waiting.waiters = [];
      }
    },
  };
}
