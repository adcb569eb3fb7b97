// A hub process: its storage opened, its port open.
import type { Log } from '../log.ts';
import { findEmbedder } from '../search/embed/engines.ts';
import { createLazyStatic } from '../search/embed/static.ts';
import { createHub, MOST_BODY } from './hub.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import type { Storage } from './storage.ts';

type ServeOptions = { address: string; port: number; host: string; log: Pick<Log, 'warn' | 'error'>; clock?: () => number };

/** Longer than anybody waits for news. */
const IDLE_SECONDS = 60;

export async function serveHub({ address, port, host, log, clock = Date.now }: ServeOptions) {
  const storage = await openStorage(address);
  for (const problem of await storage.problems()) log.warn(problem);
  const embedder = createLazyStatic(findEmbedder().assets);
  const { fetch } = createHub({ storage, clock, log, embedder });
  const server = Bun.serve({ port, hostname: host, idleTimeout: IDLE_SECONDS, maxRequestBodySize: MOST_BODY, fetch });
  return {
    url: `http://${host}:${server.port}`,
    close: async () => {
      await server.stop(true);
      await embedder.close();
      await storage.close();
    },
  };
}

/** `postgres://…`, or the path of a SQLite file. */
export const openStorage = async (address: string): Promise<Storage> =>
  /^postgres(ql)?:\/\//.test(address) ? openPostgres(address) : openSqlite(address);
