// Everything that no hook waits for: the index, search, forgetting, and the HTTP routes, in a bundle of its own.
import type { Database } from 'bun:sqlite';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Paths } from '../paths.ts';
import { createFinder } from '../search/find.ts';
import { findBest } from '../search/find-best.ts';
import { createForget } from './forget.ts';
import { createHttpApp } from './http/app.ts';
import { addIndexRoutes } from './http/index-routes.ts';
import { addMemoryRoutes } from './http/memory-routes.ts';
import { createIndexing, type IndexState } from './indexing.ts';
import { startOldMemories } from './old-memories.ts';
import type { Stats } from './stats.ts';
import type { Status } from './status.ts';

export type MemoryDoorDeps = {
  db: Database;
  paths: Paths;
  config: () => Config;
  log: Log;
  clock: () => number;
  drainSpool: () => Promise<void>;
  readStatus: (index: () => IndexState) => Status;
  readStats: () => Stats;
};

export type MemoryDoor = {
  answer: (request: Request) => Response | Promise<Response>;
  /** Something was stored or dropped. */
  wake: () => void;
  hasWork: () => boolean;
  close: () => Promise<void>;
};

export function openMemoryDoor(deps: MemoryDoorDeps): MemoryDoor {
  const { db, paths, config, log, clock, drainSpool, readStats } = deps;
  const index = createIndexing({ db, paths, config, log, clock });
  const finder = createFinder({ db, models: index.models, clock });
  const forget = createForget({ db, paths, clock, index, drainSpool, log });
  const oldMemories = startOldMemories({ db, clock, log, onAdded: index.wake });
  const app = createHttpApp({ readStatus: () => deps.readStatus(index.status), readStats, log });
  addIndexRoutes(app, index);
  addMemoryRoutes(app, {
    db,
    clock,
    finder,
    readIndexProblem: index.openProblem,
    findBest: (query, scope) => findBest(finder, query, scope),
    onStored: index.wake,
    forget,
  });
  forget.finish().catch((error) => log.error('an erasure could not be finished', { error: String(error) }));
  return {
    answer: (request) => app.fetch(request),
    wake: index.wake,
    hasWork: () => index.hasWork() || oldMemories.hasWork(),
    close: async () => {
      oldMemories.close();
      await index.close();
    },
  };
}
