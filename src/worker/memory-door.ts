// Everything that no hook waits for: the index, search, forgetting, and the HTTP routes, in a bundle of its own.
import type { Database } from 'bun:sqlite';
import type { Config } from '../config.ts';
import type { TellDeps } from '../context/tell.ts';
import type { Log } from '../log.ts';
import type { Paths } from '../paths.ts';
import { createFinder } from '../search/find.ts';
import { findBest } from '../search/find-best.ts';
import { createForget } from './forget.ts';
import { createGitMemory, type GitMemory } from './git-memory.ts';
import { createHttpApp } from './http/app.ts';
import { addContextRoutes } from './http/context-routes.ts';
import { addImportRoutes } from './http/import-routes.ts';
import { addIndexRoutes } from './http/index-routes.ts';
import { addJobRoutes } from './http/job-routes.ts';
import { addMemoryRoutes } from './http/memory-routes.ts';
import { addSilenceRoutes } from './http/silence-routes.ts';
import { createIndexing, type IndexState } from './indexing.ts';
import { chooseJobs } from './job-kinds.ts';
import { createJobs } from './jobs.ts';
import { startOldMemories } from './old-memories.ts';
import { createRecall, type Recall } from './recall.ts';
import type { WantedTranscript } from './reconcile.ts';
import type { Stats } from './stats.ts';
import type { Status } from './status.ts';
import { createSuperseding } from './supersede.ts';
import { takeTranscript } from './take-transcript.ts';

export type MemoryDoorDeps = {
  db: Database;
  paths: Paths;
  config: () => Config;
  log: Log;
  clock: () => number;
  drainSpool: () => Promise<void>;
  /** Keeps reconciling and distilling off a session that an import reads. */
  hold: (hostSessionId: string) => () => void;
  hasModel: () => boolean;
  /** A project got another name, or became one with another. */
  onRenamed: () => void;
  /** Something was imported that may have to be distilled. */
  onImported: () => void;
  readStatus: (index: () => IndexState) => Status;
  readStats: () => Stats;
  checkFreshness: TellDeps['checkFreshness'];
  home: string | null;
};

export type MemoryDoor = {
  answer: (request: Request) => Response | Promise<Response>;
  /** What matters for a prompt, or nothing. */
  recall: Recall;
  git: GitMemory;
  /** Reads what hooks did not deliver; how much that was. */
  takeTranscript: (wanted: WantedTranscript & { signal: AbortSignal }) => Promise<number>;
  /** Makes ready what a search needs. */
  warm: () => Promise<void>;
  /** Something was stored or dropped. */
  wake: () => void;
  hasWork: () => boolean;
  close: () => Promise<void>;
};

/** Any words do: what a search needs is loaded by searching. */
const WARM_UP = 'what was decided';

export function openMemoryDoor(deps: MemoryDoorDeps): MemoryDoor {
  const { db, paths, config, log, clock, drainSpool, readStats, checkFreshness, home } = deps;
  const index = createIndexing({ db, paths, config, log, clock, isBusy: () => jobs.hasWork() });
  const finder = createFinder({ db, models: index.models, clock });
  const forget = createForget({ db, paths, clock, index, drainSpool, log });
  const oldMemories = startOldMemories({ db, clock, log, onAdded: index.wake });
  const superseding = createSuperseding({ db, log });
  const wake = () => {
    index.wake();
    superseding.wake();
  };
  const app = createHttpApp({ readStatus: () => deps.readStatus(index.status), readStats, log });
  const recall = createRecall({ db, finder, checkFreshness });
  addIndexRoutes(app, index);
  addSilenceRoutes(app, { db, config, clock });
  addMemoryRoutes(app, {
    db,
    clock,
    finder,
    readIndexProblem: index.openProblem,
    findBest: (query, scope) => findBest(finder, query, scope),
    onStored: wake,
    onRenamed: deps.onRenamed,
    forget,
  });
  const git = createGitMemory({ db, config, log, clock, home, onStored: wake });
  addContextRoutes(app, { db, config, clock, home, checkFreshness, recall, readCommits: git.readNow });
  const jobs = createJobs({
    db,
    log,
    clock,
    kinds: chooseJobs({ ...deps, onStored: wake, onProject: git.noteProject }),
  });
  addJobRoutes(app, { db, jobs });
  addImportRoutes(app, { db, home: home ?? '', options: config, clock });
  jobs.resume();
  forget.finish().catch((error) => log.error('an erasure could not be finished', { error: String(error) }));
  return {
    answer: (request) => app.fetch(request),
    recall,
    git,
    takeTranscript: (wanted) => takeTranscript({ db, options: config, clock }, wanted),
    warm: async () => {
      await finder.find(WARM_UP, { projectIds: null });
    },
    wake,
    hasWork: () => index.hasWork() || oldMemories.hasWork() || superseding.hasWork() || jobs.hasWork() || git.hasWork(),
    close: async () => {
      await jobs.close();
      await git.close();
      oldMemories.close();
      superseding.close();
      await index.close();
    },
  };
}
