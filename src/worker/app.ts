// The worker put together: the store, the doors, the distiller, and how it ends.
import { rmSync } from 'node:fs';
import type { Config } from '../config.ts';
import { createFreshness } from '../context/freshness.ts';
import type { TellDeps } from '../context/tell.ts';
import type { Envelope } from '../core/envelope.ts';
import { readHead } from '../git/head.ts';
import type { Log } from '../log.ts';
import type { Observe } from '../observer/distil-turn.ts';
import { observeLocally } from '../observer/local/observe.ts';
import { writeOwnFile } from '../own-files.ts';
import { homeDir, type Paths } from '../paths.ts';
import { readLogHead } from '../store/commits/commits.ts';
import { reclaimEvents } from '../store/events/events.ts';
import { openStore } from '../store/open.ts';
import { projectName } from '../store/projects/projects.ts';
import { createLinks, linkTo } from './http/door/links.ts';
import { holdPort, readLastPort } from './http/door/web-port.ts';
import { readArrival } from './intake/arrival.ts';
import { createHookDoor } from './intake/hook-door.ts';
import type { Ingested } from './intake/ingest.ts';
import { createIntake } from './intake/intake.ts';
import { listenForLines } from './intake/socket.ts';
import { createSpoolDrain } from './intake/spool-drain.ts';
import { createLazyMemories } from './lazy-memories.ts';
import { refuseLostStore, rememberStore } from './lost-store.ts';
import { createDistiller } from './observing/distiller.ts';
import { createModelObserver } from './observing/model-observer.ts';
import { createReadEvidence } from './observing/read-evidence.ts';
import { createPlaceOf } from './projects/place-of.ts';
import { createSettling } from './projects/settle-projects.ts';
import { createTeller } from './telling/teller.ts';
import { createReconcile } from './transcripts/reconcile.ts';
import { startHousekeeping } from './upkeep/housekeeping.ts';
import { clearMarks } from './upkeep/private-marks.ts';
import { createRescan } from './upkeep/rescan.ts';
import { createRetention } from './upkeep/retention.ts';
import { createActivityFlag } from './watch/activity-flag.ts';
import { createLatencies } from './watch/latencies.ts';
import { createQueueTrend } from './watch/queue-trend.ts';
import { readStats } from './watch/stats.ts';
import { readStatus } from './watch/status.ts';
import { createWatch } from './watchdog.ts';

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
  /** How many times as long as usual a hook waits for what a session is told: more on a machine that is busy with tests. */
  patience?: number;
  /** An event that takes longer ends the worker. */
  hangSeconds?: number;
  /** After so long it is no chance that it lives: it tries once more what others ended at. */
  stableMs?: number;
  /** Called when it may end: idle for long enough, or its database is gone. */
  onDone: (reason: string) => void;
};

/** A hook that starts a worker asks every few milliseconds whether it is there. */
const HOOKS_FIRST_MS = 15;

/** A starting session waits no longer for what was committed since the last one. */
const COMMITS_MS = 150;
/** At these moments somebody may have committed, pulled or switched. */
const LOOK_AT_GIT = new Set(['start', 'prompt', 'stop', 'end']);

export type Worker = { close: () => Promise<void> };

export async function startWorkerApp(deps: WorkerDeps): Promise<Worker> {
  const { paths, config, log, clock, observe = observeLocally, patience = 1, stableMs } = deps;
  const startedAt = clock();
  let lastActivityAt = startedAt;
  const onActivity = () => {
    lastActivityAt = clock();
  };
  refuseLostStore(paths);
  const db = openStore(paths.database);
  const isOurs = rememberStore(paths);
  writeOwnFile(paths.birthMark, '');
  const reclaimed = reclaimEvents(db);
  const home = homeDir();
  const freshness = createFreshness({ db, clock });
  const checkFreshness: TellDeps['checkFreshness'] = (observations, place) => freshness.check(observations, place);
  const latencies = createLatencies();
  const watch = createWatch(deps.hangSeconds);
  const queue = createQueueTrend({ db, clock });
  const links = createLinks({ clock });
  const port = config().workerPort;
  const facts = {
    db,
    paths,
    config,
    settingProblems: () => [...deps.configProblems(), ...[retention.problem()].filter((problem) => problem !== null)],
    isOurs,
    writeError: () => intake.error(),
    model: { status: () => model.status(), hasWork: () => model.hasWork() },
    clock,
    version: deps.version,
    startedAt,
    fromVariables: deps.fromVariables,
  };
  const memories = createLazyMemories({
    ...facts,
    log,
    latencies,
    queue,
    links,
    held: holdPort(port, readLastPort(paths.webPort)),
    onActivity,
    take: (envelope) => take(envelope),
    finishProject: (projectId, budgetMs) => distiller.finishProject(projectId, budgetMs),
    stopSession: (sessionId) => model.stopSession(sessionId),
    drainSpool: () => spool.drain(),
    hold: (session) => reconcile.hold(session),
    onImported: () => {
      for (const part of [distiller, model, settling]) part.wake();
    },
    onRenamed: () => settling.wake(),
    checkFreshness,
    home,
    readStatus: (index) => readStatus({ ...facts, web, index, lastSuccessAt: distiller.lastSuccessAt }),
    readStats: () => readStats({ db, paths, model: model.status, latencies, queue, clock }),
  });
  const web = () => ({ address: memories.webAddress(), port });
  const wakeIndex = memories.wake;
  const readEvidence = createReadEvidence(clock);
  const reconcile = createReconcile({
    db,
    take: async (wanted) => (await memories.open()).takeTranscript(wanted),
    onStored: () => distiller.wake(),
    log,
    clock,
  });
  const settling = createSettling({ db, log, clock, onSettled: wakeIndex, patience });
  const placeOf = createPlaceOf({ db, config });
  const observing = { db, observe, readEvidence, placeOf, onStored: wakeIndex, log, clock };
  const model = createModelObserver({ ...observing, paths, config });
  const distiller = createDistiller({ ...observing, reconcile, model, latencies, watch, stableMs });
  const flag = createActivityFlag({ path: paths.activityFlag, log, clock });
  const retention = createRetention({ db, config, clock, log });
  const rescan = createRescan({ db, paths, log, clock, onChanged: wakeIndex });
  const onStored = (ingested: Ingested) => {
    reconcile.note(ingested);
    memories.noteIngested(ingested);
    const { happened } = ingested;
    if (!happened) return;
    settling.note(happened.session);
    distiller.noteArrival(happened.session.id, ingested.arrival.envelope.receivedAt);
    if (LOOK_AT_GIT.has(happened.event.kind)) memories.noteProject(happened.event.cwd);
    if (happened.event.kind === 'end') clearMarks(paths.privateMarks, happened.event.session, clock());
    flag.note(happened.event, () => projectName(db, happened.session.projectId));
    wakeIndex();
  };
  const intake = createIntake({ db, options: config, onStored, log, watch });
  const take = async (envelope: Envelope) => {
    onActivity();
    return intake.take(watch(() => readArrival(envelope))).finally(distiller.wake);
  };
  const spool = createSpoolDrain({ folder: paths.spool, take, log, clock, isOurs, stableMs });
  // What was spooled came first: a private prompt in it must be known before what follows it.
  await spool.drain();
  const readCommits = async (cwd: string, root: string) => {
    const known = readLogHead(db, root);
    if (config().gitCommits === 0 || readHead(root).commit === known) return;
    const reading = memories.open().then(({ git }) => git.readNow(cwd));
    await Promise.race([reading, Bun.sleep(COMMITS_MS * patience)]).catch((error) =>
      log.warn('new commits could not be read', { error: String(error) }),
    );
  };
  const { startSession, notes } = createTeller({
    db,
    config,
    distiller,
    spool,
    readCommits,
    settleNow: settling.settleNow,
    memories,
    checkFreshness,
    home,
    notice: model.notice,
    viewerLink: () => linkTo(memories.webAddress(), links),
    log,
    clock,
    patience,
  });
  const doorDeps = { intake, distiller, startSession, notes, log, clock, onActivity, patience, watch, latencies };
  const socket = listenForLines(paths.workerSocket, createHookDoor(doorDeps));
  rmSync(paths.startMarker, { force: true });
  log.info('worker started', { pid: process.pid, version: deps.version, reclaimed });

  // The door that nobody waits for comes after the one that hooks wait for: whoever started us is answered first.
  await Bun.sleep(HOOKS_FIRST_MS);
  const { serveHttp } = await import('./http/serve.ts');
  const http = serveHttp(paths.httpSocket, async (request) => (await memories.open()).answer(request));
  memories.openSoon();
  reconcile.resume();
  distiller.wake();
  model.wake();
  rescan.start();
  const housekeeping = startHousekeeping({
    db,
    isOurs,
    config,
    log,
    clock,
    quietMs: () => clock() - lastActivityAt,
    connections: () => socket.connections() + memories.connections(),
    retain: () => {
      const hasMore = retention.tidy();
      if (hasMore) wakeIndex();
      return hasMore;
    },
    hasQuestions: () =>
      model.hasWork() || memories.hasWork() || reconcile.hasWork() || settling.hasWork() || rescan.hasWork(),
    onDone: deps.onDone,
  });

  return {
    close: async () => {
      housekeeping.close();
      rescan.close();
      distiller.close();
      queue.close();
      spool.close();
      socket.close();
      await reconcile.close();
      await settling.close();
      intake.flush();
      await model.close();
      await memories.close();
      flag.close();
      await http.close();
      db.run('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close(true);
      log.info('worker stopped', { pid: process.pid });
    },
  };
}
