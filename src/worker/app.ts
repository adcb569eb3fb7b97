// The worker put together: the store, the doors, the distiller, and how it ends.
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { Envelope } from '../core/envelope.ts';
import type { Log } from '../log.ts';
import type { Observe } from '../observer/distil-turn.ts';
import { observeLocally } from '../observer/local/observe.ts';
import type { Paths } from '../paths.ts';
import { reclaimEvents } from '../store/events.ts';
import { openStore } from '../store/open.ts';
import { projectName } from '../store/projects.ts';
import { createActivityFlag } from './activity-flag.ts';
import { createDistiller } from './distiller.ts';
import { createHookDoor } from './hook-door.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { Indexing } from './indexing.ts';
import { type Ingested, readArrival } from './ingest.ts';
import { createIntake } from './intake.ts';
import { createModelObserver } from './model-observer.ts';
import { listenForLines } from './socket.ts';
import { createSpoolDrain } from './spool-drain.ts';
import { createStartSession } from './start-session.ts';
import { readStats } from './stats.ts';
import { readStatus } from './status.ts';

export type WorkerDeps = {
  paths: Paths;
  /** The settings as they are at each call. */
  config: () => Config;
  configProblems: () => string[];
  fromVariables: string[];
  version: string;
  log: Log;
  /** The local observer unless a test brings its own. */
  observe?: Observe;
  clock: () => number;
  /** Called when it may end: idle for long enough, or its database is gone. */
  onDone: (reason: string) => void;
};

export type Worker = { close: () => Promise<void> };

export async function startWorkerApp(deps: WorkerDeps): Promise<Worker> {
  const { paths, config, log, clock, observe = observeLocally } = deps;
  const startedAt = clock();
  let lastActivityAt = startedAt;
  const onActivity = () => {
    lastActivityAt = clock();
  };

  refuseLostStore(paths);
  const db = openStore(paths.database);
  writeFileSync(paths.birthMark, '', { mode: 0o600 });
  const reclaimed = reclaimEvents(db);
  let indexing: Indexing | null = null;
  const wakeIndex = () => indexing?.wake();
  const model = createModelObserver({ db, paths, config, observe, onStored: wakeIndex, log, clock });
  const distiller = createDistiller({ db, observe, model, onStored: wakeIndex, log, clock });
  const flag = createActivityFlag({ path: paths.activityFlag, log, clock });
  const onStored = ({ happened }: Ingested) => {
    if (!happened) return;
    flag.note(happened.event, () => projectName(db, happened.session.projectId));
    wakeIndex();
  };
  const intake = createIntake({ db, options: () => ({ skipTools: config().skipTools }), onStored, log });
  const take = async (envelope: Envelope) => {
    onActivity();
    await intake.take(readArrival(envelope));
    distiller.wake();
  };
  const { ino } = statSync(paths.database);
  const isOurs = () => statSync(paths.database, { throwIfNoEntry: false })?.ino === ino;
  const spool = createSpoolDrain({ folder: paths.spool, take, log, clock, isOurs });
  // What was spooled came first: a private prompt in it must be known before what follows it.
  await spool.drain();
  const startSession = createStartSession({ db, config, distiller, spool, notice: model.notice, clock });
  const hookDoor = createHookDoor({ intake, distiller, startSession, log, clock, onActivity });
  const socket = listenForLines(paths.workerSocket, hookDoor);
  rmSync(paths.startMarker, { force: true });
  log.info('worker started', { pid: process.pid, version: deps.version, reclaimed });

  // The door that nobody waits for comes after the one that hooks wait for.
  const { createHttpApp } = await import('./http/app.ts');
  const { serveHttp } = await import('./http/serve.ts');
  const { createIndexing } = await import('./indexing.ts');
  const { addIndexRoutes } = await import('./http/index-routes.ts');
  const { addMemoryRoutes } = await import('./http/memory-routes.ts');
  const { createForget } = await import('./forget.ts');
  const { createFinder } = await import('../search/find.ts');
  const { findBest } = await import('../search/find-best.ts');
  const index = createIndexing({ db, paths, config, log, clock });
  indexing = index;
  const status = {
    db,
    paths,
    version: deps.version,
    startedAt,
    problems: deps.configProblems,
    fromVariables: deps.fromVariables,
    model: model.status,
    index: index.status,
    clock,
  };
  const { lastSuccessAt } = distiller;
  const app = createHttpApp({
    readStatus: () => readStatus({ ...status, lastSuccessAt }),
    readStats: () => readStats(db, model.status),
    log,
  });
  addIndexRoutes(app, index);
  const finder = createFinder({ db, models: index.models, clock });
  const forget = createForget({ db, paths, clock, index, drainSpool: spool.drain, log });
  addMemoryRoutes(app, {
    db,
    clock,
    finder,
    findBest: (query, scope) => findBest(finder, query, scope),
    onStored: wakeIndex,
    forget,
  });
  const http = serveHttp(paths.httpSocket, app);
  distiller.wake();
  model.wake();
  forget.finish().catch((error) => log.error('an erasure could not be finished', { error: String(error) }));
  const housekeeping = startHousekeeping({
    db,
    isOurs,
    config,
    log,
    clock,
    quietMs: () => clock() - lastActivityAt,
    connections: socket.connections,
    hasQuestions: () => model.hasWork() || index.hasWork(),
    onDone: deps.onDone,
  });

  return {
    close: async () => {
      housekeeping.close();
      distiller.close();
      spool.close();
      socket.close();
      intake.flush();
      await model.close();
      await index.close();
      flag.close();
      await http.close();
      db.run('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close(true);
      log.info('worker stopped', { pid: process.pid });
    },
  };
}

/** SQLite would open a missing or emptied file as a new database, and everything would seem forgotten. */
function refuseLostStore({ database, birthMark }: Paths): void {
  const isThere = (statSync(database, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (isThere || !existsSync(birthMark)) return;
  throw new Error(`${database} is gone or empty. Restore it from a backup, or delete ${birthMark} to begin anew.`);
}
