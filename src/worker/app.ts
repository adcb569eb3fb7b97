// The worker put together: the store, the doors, the distiller, and how it ends.
import type { Database } from 'bun:sqlite';
import { rmSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Observe } from '../observer/distil-turn.ts';
import { observeLocally } from '../observer/local/observe.ts';
import type { Paths } from '../paths.ts';
import { expirePayloads, reclaimEvents } from '../store/events.ts';
import { openStore } from '../store/open.ts';
import { readQueue } from '../store/queue.ts';
import { interruptSilentSessions } from '../store/sessions.ts';
import { createDistiller } from './distiller.ts';
import { createHookDoor } from './hook-door.ts';
import { readArrival } from './ingest.ts';
import { createIntake } from './intake.ts';
import { listenForLines } from './socket.ts';
import { createSpoolDrain } from './spool-drain.ts';
import { createStartSession } from './start-session.ts';
import { readStatus } from './status.ts';

const DAY_MS = 86_400_000;
const TICK_MS = 10_000;
/** After so long without an event, disk and memory that the last ones took are given back. */
const QUIET_MS = 10_000;

export type WorkerDeps = {
  paths: Paths;
  config: Config;
  configProblems: string[];
  version: string;
  log: Log;
  /** The local observer unless a test brings its own. */
  observe?: Observe;
  clock: () => number;
  /** Called once when there has been nothing to do for long enough. */
  onIdle: () => void;
};

// What openStore refuses, a caller may want to tell apart.
export { StoreError } from '../store/open.ts';

export type Worker = { close: () => Promise<void> };

export async function startWorkerApp(deps: WorkerDeps): Promise<Worker> {
  const { paths, config, log, clock, observe = observeLocally } = deps;
  const startedAt = clock();
  let lastActivityAt = startedAt;

  const db = openStore(paths.database);
  const reclaimed = reclaimEvents(db);
  const distiller = createDistiller({ db, observe, log, clock });
  const intake = createIntake({ db, options: { skipTools: config.skipTools }, log });
  const spool = createSpoolDrain({
    folder: paths.spool,
    take: async (envelope) => {
      lastActivityAt = clock();
      await intake.take(readArrival(envelope));
      distiller.wake();
    },
    log,
    clock,
  });
  const startSession = createStartSession({ db, config, distiller, spool, clock });
  const onActivity = () => {
    lastActivityAt = clock();
  };
  const hookDoor = createHookDoor({ intake, distiller, startSession, log, clock, onActivity });
  const socket = listenForLines(paths.workerSocket, hookDoor);
  rmSync(paths.startMarker, { force: true });
  log.info('worker started', { pid: process.pid, version: deps.version, reclaimed });

  // The doors that nobody waits for come after the one that hooks wait for.
  const { createHttpApp } = await import('./http/app.ts');
  const { serveHttp } = await import('./http/serve.ts');
  const status = () =>
    readStatus({
      db,
      paths,
      version: deps.version,
      startedAt,
      problems: deps.configProblems,
      lastSuccessAt: distiller.lastSuccessAt,
      clock,
    });
  const http = serveHttp(paths.httpSocket, createHttpApp({ readStatus: status }));
  await spool.drain();
  distiller.wake();

  let isShrunk = false;
  const housekeeping = setInterval(() => {
    const now = clock();
    db.transaction(() => {
      interruptSilentSessions(db, now - DAY_MS);
      expirePayloads(db, now - config.retentionDays * DAY_MS);
    }).immediate();
    const quietMs = now - lastActivityAt;
    if (quietMs < QUIET_MS) isShrunk = false;
    else if (!isShrunk) {
      giveBack(db);
      isShrunk = true;
    }
    const isIdle = quietMs > config.idleMinutes * 60_000 && socket.connections() === 0;
    if (isIdle && readQueue(db, now).depth === 0) deps.onIdle();
  }, TICK_MS);

  return {
    close: async () => {
      clearInterval(housekeeping);
      distiller.close();
      spool.close();
      socket.close();
      intake.flush();
      await http.close();
      db.run('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close(true);
      log.info('worker stopped', { pid: process.pid });
    },
  };
}

/** Most of what a busy worker holds is the write-ahead log, SQLite's page cache and garbage. */
function giveBack(db: Database): void {
  db.run('PRAGMA wal_checkpoint(TRUNCATE)');
  db.run('PRAGMA shrink_memory');
  Bun.gc(true);
}
