// The routes of memories and /mcp on a port of this machine, with a few memories behind them.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Config, loadConfig } from '../../src/config.ts';
import { createForget } from '../../src/forget/forget.ts';
import { findPaths } from '../../src/paths.ts';
import { createFinder, findBest } from '../../src/search/find.ts';
import { limitAgents } from '../../src/server/http/agent-limit.ts';
import { correctionRoutes } from '../../src/server/routes/corrections.ts';
import { mcpRoutes } from '../../src/server/routes/mcp.ts';
import { memoryRoutes } from '../../src/server/routes/memories.ts';
import { pauseRoutes } from '../../src/server/routes/pauses.ts';
import { searchRoutes } from '../../src/server/routes/search.ts';
import { openShelf } from './memories.ts';
import { createTestStore, type TestStore } from './store.ts';
import { createTestApi, type TestApi } from './test-api.ts';

export const NOW = Date.parse('2026-03-18T12:00:00Z');
const AT = NOW - 86_400_000;
export const ROOT = '/home/dev/shop';

export type McpApi = {
  store: TestStore;
  http: TestApi;
  url: URL;
  /** How often somebody was heard of. */
  activity: () => number;
  /** The official client, at `/mcp` with this query. */
  connect: (query?: string) => Promise<Client>;
  close: () => Promise<void>;
};

/** `settings`: what differs from the defaults. */
export function serveMcpApi(settings: Partial<Config> = {}): McpApi {
  const store = createTestStore();
  let activity = 0;
  const clients: Client[] = [];
  const http = openApi(store, settings, () => activity++);
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => http.api.app.fetch(request, { isTrusted: true }) });
  addMemories(store);
  return {
    store,
    http,
    url: server.url,
    activity: () => activity,
    async connect(query = `?cwd=${ROOT}`) {
      const client = new Client({ name: 'a client', version: '1' });
      await client.connect(new StreamableHTTPClientTransport(new URL(`/mcp${query}`, server.url)) as never);
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) await client.close();
      await server.stop(true);
      store.close();
    },
  };
}

function openApi({ db }: TestStore, settings: Partial<Config>, onActivity: () => void): TestApi {
  const clock = () => NOW;
  const nothing = () => undefined;
  const config = { ...loadConfig('/nowhere/config.json', {}).config, ...settings };
  const finder = createFinder({ db, models: () => [], clock });
  const forget = createForget({
    db,
    paths: findPaths('/nowhere'),
    clock,
    index: { removeDropped: () => true, wake: nothing },
    drainSpool: async () => undefined,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
  const deps = {
    ...{ db, clock, finder, forget, config: () => config, onStored: nothing, version: '1.2.3', onActivity },
    findBest: (query: string, scope: { projectIds: number[] | null }) => findBest(finder, query, scope),
  };
  const routes = [searchRoutes, memoryRoutes, correctionRoutes, pauseRoutes, mcpRoutes].flatMap((table) => table(deps));
  return createTestApi(routes, limitAgents(deps));
}

function addMemories({ db }: TestStore): void {
  const shop = openShelf(db, ROOT, 'session-1');
  shop.ask('Make the upload queue survive a restart', AT);
  shop.observe('The upload queue is kept on disk', AT + 1000, { type: 'decision', filesModified: ['src/queue.ts'] });
  openShelf(db, '/home/dev/other', 'session-2').observe('The upload page is blue', AT + 2000);
}
