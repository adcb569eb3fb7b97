// The worker put together: the store, the doors, the distiller, and how it ends.
import { existsSync, rmSync } from 'node:fs';
import { openGuarded } from '../backup/guard.ts';
import { refuseLostStore } from '../backup/lost-store.ts';
import { createFreshness } from '../context/freshness.ts';
import type { TellDeps } from '../context/tell.ts';
import type { Envelope } from '../core/envelope.ts';
import type { Observe, Settle } from '../observer/distil-turn.ts';
import { writeOwnFile } from '../own-files.ts';
import { homeDir } from '../paths.ts';
import { createSelfWatch, makeRoomToStart } from '../server/self-watch.ts';
import { reclaimEvents, retryAll } from '../store/events/set-aside.ts';
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
import { createDistiller } from './observing/distiller.ts';
import { createModelObserver } from './observing/model-observer.ts';
import { createReadEvidence } from './observing/read-evidence.ts';
import { createPlaceOf } from './projects/place-of.ts';
import { createSettling } from './projects/settle-projects.ts';
import { createReadCommits } from './telling/read-commits.ts';
import { createTeller } from './telling/teller.ts';
import { createReconcile } from './transcripts/reconcile.ts';
import { startHousekeeping } from './upkeep/housekeeping.ts';
import { clearMarks, readPrivateTimes } from './upkeep/private-marks.ts';
import { createRescan } from './upkeep/rescan.ts';
import { createRetention } from './upkeep/retention.ts';
import { createActivityFlag } from './watch/activity-flag.ts';
import { findWarning } from './watch/health.ts';
import { createLatencies } from './watch/latencies.ts';
import { createQueueTrend } from './watch/queue-trend.ts';
import { readStats } from './watch/stats.ts';
import { readStatus } from './watch/status.ts';
import { createWatch } from './watchdog.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** A hook that starts a worker asks every few milliseconds whether it is there. */
const HOOKS_FIRST_MS = 15;
/** At these moments somebody may have committed, pulled or switched. */
const LOOK_AT_GIT = new Set(['start', 'prompt', 'stop', 'end']);

/** Its rules are read with the first turn: a worker that starts has hooks that wait. */
const observeBatch: Observe = (batch) =>
  (require('../observe/observe.ts') as typeof import('../observe/observe.ts')).observeBatch(batch);

const settleTurn: Settle = (db, turn) =>
  (require('../observe/settle.ts') as typeof import('../observe/settle.ts')).settleTurn(db, turn);

export type Worker = { close: () => Promise<void> };

export async function startWorkerApp(deps: WorkerDeps): Promise<Worker> {
  const { paths, config, log, clock, observe = observeBatch, patience = 1, stableMs } = deps;
  const startedAt = clock();
  let lastActivityAt = startedAt;
  const onActivity = () => {
    lastActivityAt = clock();
  };
  refuseLostStore(paths);
  makeRoomToStart(paths);
  const keeper = await openGuarded({ paths, log, clock, quietMs: () => clock() - lastActivityAt, onDone: deps.onDone });
  const { db, isOurs } = keeper;
  if (!existsSync(paths.birthMark)) writeOwnFile(paths.birthMark, '');
  const onRecovered = () => {
    spool.settle(0);
    // What could not be kept meanwhile may stand there.
    reconcile.resume();
    distiller.wake();
  };
  const self = createSelfWatch({ ...deps, db, isOurs, onRecovered });
  const { guard } = self;
  const reclaimed = self.tryToWrite(() => reclaimEvents(db));
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
    ...self.facts,
    lastSuccessAt: () => distiller.lastSuccessAt(),
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
    take: (envelope) => takeLive(envelope),
    addReader: self.addReader,
    retry: () => {
      distiller.wake();
      return spool.retry() + retryAll(db);
    },
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
    readStatus: (index) => readStatus({ ...facts, web, index }),
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
  const observing = { db, observe, settle: settleTurn, readEvidence, placeOf, onStored: wakeIndex, log, clock };
  const model = createModelObserver({ ...observing, paths, config });
  const timing = { latencies, watch, stableMs, onFault: guard.failed };
  const distiller = createDistiller({ ...observing, reconcile, model, ...timing });
  const flag = createActivityFlag({ path: paths.activityFlag, log, clock });
  const retention = createRetention({ db, config, clock, log });
  const rescan = createRescan({ db, paths, log, clock, onChanged: wakeIndex });
  const onStored = (ingested: Ingested) => {
    memories.noteIngested(ingested);
    const { happened } = ingested;
    if (!happened) return;
    settling.note(happened.session);
    distiller.noteArrival(happened.session.id, ingested.arrival.envelope.receivedAt);
    if (LOOK_AT_GIT.has(happened.event.kind)) memories.noteProject(happened.event.cwd);
    // What the user says next goes with the question about the turn before.
    if (happened.event.kind === 'prompt' || happened.event.kind === 'end') model.wake();
    if (happened.event.kind === 'end') clearMarks(paths.privateMarks, happened.event.session, clock());
    flag.note(happened.event, () => projectName(db, happened.session.projectId));
    wakeIndex();
  };
  const privateTimes = (session: string) => readPrivateTimes(paths.privateMarks, session);
  // A turn that has ended waits for its transcript: whoever distils must not come in between.
  const onCommitted = reconcile.note;
  const intake = createIntake({ db, options: config, privateTimes, onCommitted, onStored, guard, log, watch });
  const take = async (envelope: Envelope) => {
    onActivity();
    return intake.take(watch(() => readArrival(envelope))).finally(distiller.wake);
  };
  const takeLive = (envelope: Envelope) => spool.before(sessionOf(envelope)).then(() => take(envelope));
  const spoolDeps = { folder: paths.spool, take, log, clock, isOurs, stableMs };
  const spool = createSpoolDrain({ ...spoolDeps, onWake: self.keepSockets });
  // What was spooled came first: a private prompt in it must be known before what follows it in its session.
  await spool.begin();
  const { startSession, notes } = createTeller({
    latencies,
    db,
    config,
    distiller,
    spool,
    readCommits: createReadCommits({ db, config, log, open: memories.open, patience }),
    settleNow: settling.settleNow,
    memories,
    checkFreshness,
    home,
    findWarning: () => findWarning(facts),
    notice: model.notice,
    damage: keeper.notice,
    viewerLink: () => linkTo(memories.webAddress(), links),
    log,
    clock,
    patience,
  });
  const parts = { intake, spool, distiller, startSession, notes };
  const doorDeps = { ...parts, damage: keeper.notice, log, clock, onActivity, patience, watch, latencies };
  const socket = self.hold('hooks', listenForLines(paths.workerSocket, createHookDoor(doorDeps)));
  rmSync(paths.startMarker, { force: true });

  // The door that nobody waits for comes after the one that hooks wait for: whoever started us is answered first.
  await Bun.sleep(HOOKS_FIRST_MS);
  log.info('worker started', { pid: process.pid, version: deps.version, reclaimed });
  const { serveHttp } = await import('./http/serve.ts');
  const answer = async (request: Request) => (await memories.open()).answer(request);
  const http = self.hold('http', serveHttp(paths.httpSocket, answer));
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
    guard: keeper,
    onDone: deps.onDone,
  });

  return {
    close: async () => {
      housekeeping.close();
      self.close();
      rescan.close();
      distiller.close();
      queue.close();
      spool.close();
      await socket.close();
      await reconcile.close();
      await settling.close();
      intake.flush();
      await model.close();
      await memories.close();
      flag.close();
      await http.close();
      await keeper.close();
      log.info('worker stopped', { pid: process.pid });
    },
  };
}

const sessionOf = ({ payload }: Envelope): string =>
  typeof payload === 'object' && payload !== null && 'session_id' in payload ? String(payload.session_id) : '';
