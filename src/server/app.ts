// The worker put together, top to bottom: the store, the pipeline from events to memories, capture, what no hook waits for, the sockets.
import { existsSync, rmSync } from 'node:fs';
import { refuseLostStore } from '../backup/damage.ts';
import { openGuarded } from '../backup/guard.ts';
import type { Ingested } from '../capture/ingest.ts';
import { Intake } from '../capture/intake.ts';
import { readArrival } from '../capture/message.ts';
import { createPlaceOf } from '../capture/other-repositories.ts';
import { reclaimEvents, retryAll } from '../capture/queue.ts';
import { Reconcile } from '../capture/reconcile.ts';
import { Spool } from '../capture/spool.ts';
import type { Config } from '../config.ts';
import { createFreshness } from '../context/freshness.ts';
import { createNotes, inTime, readRules } from '../context/notes.ts';
import { createStartSession, type StartSession } from '../context/start-session.ts';
import type { TellDeps } from '../context/tell.ts';
import type { Envelope } from '../core/envelope.ts';
import type { Restored } from '../core/shapes/job.ts';
import { createRetention } from '../forget/retention.ts';
import type { Log } from '../log.ts';
import { createModelObserver } from '../model/model.ts';
import { createReadEvidence } from '../observe/evidence.ts';
import { writeOwnFile } from '../own-files.ts';
import { homeDir, type Paths } from '../paths.ts';
import { createIsForeign } from '../projects/foreign.ts';
import { projectName } from '../projects/projects.ts';
import { createSettling } from '../projects/settle.ts';
import { createProbe } from '../store/open.ts';
import type { Observe, Settle } from '../turns/batch.ts';
import { createActivityFlag } from './activity-flag.ts';
import { createSpoolList, findWarning } from './health.ts';
import { createHookServer } from './hook-server.ts';
import { clearMarks, createPreparing, createRescan, readPrivateTimes, startHousekeeping } from './housekeeping.ts';
import { createLinks, holdPort, makeLink, readLastPort, SESSION_LINK_MS } from './http/token.ts';
import { listenForLines, placeSocket } from './line-socket.ts';
import { createSelfWatch, createWatch, makeRoomToStart, STABLE_MS } from './self-watch.ts';
import { createLatencies, createQueueTrend } from './status.ts';
import { TurnQueue } from './turn-queue.ts';

type WorkerDeps = {
  paths: Paths;
  /** The settings as they are at each call. */
  config: () => Config;
  configProblems: () => string[];
  fromVariables: string[];
  version: string;
  log: Log;
  /** By rules unless a test brings its own. */
  observe?: Observe;
  clock: () => number;
  /** How many times as long as usual a hook waits for context: more on a machine that is busy with tests. */
  patience?: number;
  hangSeconds?: number;
  /** After so long it is no chance that it lives: it tries once more what others ended at. */
  stableMs?: number;
  isOwner?: () => boolean;
  walAlarmBytes?: number;
  /** Called when it may end: idle for long enough, larger than a new one would be, or its database is gone. */
  onDone: (reason: string) => void;
  /** False where nothing takes the place of one that has grown large. */
  isReplaceable?: boolean;
  /** A person wants this copy in the place of the memory: it has to end for that. What came of the last time. */
  restore?: { ask: (copy: string) => void; last: Restored | null };
};

/** A hook that starts a worker asks every few milliseconds whether it is there. */
const HOOKS_FIRST_MS = 15;
/** Long enough for the hooks that started the worker. */
const BACKGROUND_MS = 300;
/** So long a worker that ends goes on with what it was asked. */
const LAST_ANSWERS_MS = 3000;

export async function startWorkerApp(deps: WorkerDeps) {
  const capture = await startCapture(startPipeline(await openMemory(deps)));
  const { paths, log, self, reconcile, turnQueue, model, rescan } = capture;
  const background = createLazy(async () => (await import('./background.ts')).startBackground(capture), log);
  // At these moments somebody may have committed, pulled or switched.
  capture.ingested.on(({ happened }) => {
    if (!happened || !['start', 'prompt', 'stop', 'end'].includes(happened.event.kind)) return;
    background.ready.then(({ git }) => git.noteProject(happened.event.cwd));
  });
  const startSession = createStart(capture, background);
  const preparing = createPreparing({ prepare: startSession.prepare, quietMs: capture.quietMs, log });
  capture.ingested.on(preparing.note);
  capture.stored.on(preparing.wake);
  const socket = self.hold('hooks', listenForLines(paths.workerSocket, serveHooks(capture, background, startSession.answer)));
  rmSync(paths.startMarker, { force: true });

  // Nobody waits for what follows: whoever started us is answered first.
  for (let waited = 0; waited === 0 || (socket.connections() > 0 && waited < BACKGROUND_MS); waited += HOOKS_FIRST_MS)
    await Bun.sleep(HOOKS_FIRST_MS);
  log.info('worker started', { pid: process.pid, version: deps.version, reclaimed: capture.reclaimed });
  const requests = new Set<Request>();
  const http = self.hold('http', placeSocket(paths.httpSocket, serveHttp(background, requests)));
  const soon = setTimeout(() => {
    rescan.start();
    background.open();
  }, BACKGROUND_MS);
  reconcile.resume();
  turnQueue.wake();
  model.wake();
  const housekeeping = keepHouse(capture, background, () => socket.connections() + requests.size);
  return {
    close: async () => {
      clearTimeout(soon);
      // Whoever asks from now on finds nobody, and starts the next worker; who has asked is answered.
      http.hide();
      for (let waited = 0; requests.size > 0 && waited < LAST_ANSWERS_MS; waited += HOOKS_FIRST_MS) await Bun.sleep(HOOKS_FIRST_MS);
      for (const part of [housekeeping, self, rescan, turnQueue, capture.queue, capture.spool]) part.close();
      for (const part of [socket, preparing, reconcile, capture.settling]) await part.close();
      capture.intake.flush();
      await model.close();
      await background.close();
      if (!background.now()) capture.held?.release();
      capture.flag.close();
      capture.links.keep();
      await http.close();
      await capture.keeper.close();
      log.info('worker stopped', { pid: process.pid });
    },
  };
}

/** The store, and what watches over it. */
async function openMemory(deps: WorkerDeps) {
  const { paths, config, log, clock } = deps;
  const startedAt = clock();
  let lastActivityAt = startedAt;
  const onActivity = () => {
    lastActivityAt = clock();
  };
  const quietMs = () => clock() - lastActivityAt;
  refuseLostStore(paths);
  makeRoomToStart(paths);
  const keeper = await openGuarded({ paths, log, clock, quietMs, onDone: deps.onDone });
  const { db, isOurs } = keeper;
  if (!existsSync(paths.birthMark)) writeOwnFile(paths.birthMark, '');
  /** The store can be written again: what could not be kept meanwhile may stand somewhere. */
  const recovered = createSignal();
  const stored = createSignal();
  /** Something came in, after its commit. */
  const ingested = createSignal<Ingested>();
  const self = createSelfWatch({ ...deps, db, isOurs, onRecovered: recovered.emit });
  const reclaimed = self.tryToWrite(() => reclaimEvents(db));
  const freshness = createFreshness({ db, clock });
  const checkFreshness: TellDeps['checkFreshness'] = (observations, place) => freshness.check(observations, place);
  const held = holdPort(config().workerPort, readLastPort(paths.webPort));
  return {
    ...{
      ...deps,
      patience: deps.patience ?? 1,
      stableMs: deps.stableMs ?? STABLE_MS,
      startedAt,
      onActivity,
      quietMs,
      keeper,
      db,
      isOurs,
      recovered,
      stored,
      ingested,
    },
    ...{ self, reclaimed, checkFreshness, held, home: homeDir() },
    /** Where the viewer is, or will be in a moment; null: nowhere. */
    viewer: { address: held?.address ?? null, port: config().workerPort },
    links: createLinks({ clock, file: paths.viewerLinks }),
    latencies: createLatencies(),
    watch: createWatch(deps.hangSeconds),
    queue: createQueueTrend({ db, clock }),
    retention: createRetention({ db, config, clock, log }),
  };
}

/** Its rules are read with the first turn: a worker that starts has hooks that wait. */
const observeBatch: Observe = (batch) => (require('../observe/observe.ts') as typeof import('../observe/observe.ts')).observeBatch(batch);
const settleNew: Settle = (db, turn) => (require('../observe/derive.ts') as typeof import('../observe/derive.ts')).settleNew(db, turn);

/** From events that were stored to memories. */
function startPipeline(memory: Awaited<ReturnType<typeof openMemory>>) {
  const { db, paths, config, log, clock, stored, ingested, recovered, patience, observe = observeBatch } = memory;
  const waiting = createSignal();
  const onStored = stored.emit;
  const reconcile = new Reconcile({
    db,
    take: async (wanted) => (await import('./background.ts')).takeTranscript({ db, options: config, clock }, wanted),
    onStored: waiting.emit,
    log,
    clock,
  });
  const settling = createSettling({ db, log, clock, onSettled: onStored, patience });
  const placeOf = createPlaceOf({ db, config });
  const observing = { db, observe, settle: settleNew, readEvidence: createReadEvidence(clock), placeOf, onStored, log, clock };
  const isForeign = createIsForeign(db);
  const model = createModelObserver({ ...observing, isForeign, paths, config });
  const timing = { latencies: memory.latencies, watch: memory.watch, stableMs: memory.stableMs, onFault: memory.self.guard.failed };
  const turnQueue = new TurnQueue({ ...observing, isForeign, reconcile, model, ...timing });
  const flag = createActivityFlag({ path: paths.activityFlag, log, clock });
  const rescan = createRescan({ db, paths, log, clock, onChanged: onStored });
  waiting.on(turnQueue.wake);
  recovered.on(() => reconcile.resume());
  recovered.on(turnQueue.wake);
  ingested.on(({ happened, arrival }) => {
    if (!happened) return;
    const { event, session } = happened;
    settling.note(session);
    turnQueue.noteArrival(session.id, arrival.envelope.receivedAt);
    // What the user says next goes with the question about the turn before.
    if (event.kind === 'prompt' || event.kind === 'end') model.wake();
    if (event.kind === 'end') clearMarks(paths.privateMarks, event.session, clock());
    flag.note(event, () => projectName(db, session.projectId));
    stored.emit();
  });
  return { ...memory, reconcile, settling, model, turnQueue, flag, rescan };
}

/** From what arrives, by hooks, the spool and programs, to events that are stored. */
async function startCapture(pipeline: ReturnType<typeof startPipeline>) {
  const { db, paths, config, log, clock, watch, self, isOurs, stableMs, ingested, recovered, turnQueue, reconcile } = pipeline;
  const privateTimes = (session: string) => readPrivateTimes(paths.privateMarks, session);
  const intake = new Intake({
    ...{ db, options: config, clock, privateTimes, guard: self.guard, log, watch },
    // A turn that has ended waits for its transcript: whoever processes it must not come in between.
    onCommitted: (ingested) => reconcile.note(ingested),
    onStored: ingested.emit,
  });
  const take = async (envelope: Envelope) => {
    pipeline.onActivity();
    return intake.take(watch(() => readArrival(envelope))).finally(turnQueue.wake);
  };
  const spool = new Spool({ folder: paths.spool, take, log, clock, isOurs, stableMs, onWake: self.keepSockets });
  recovered.on(() => spool.settle(0));
  // What was spooled came first: a private prompt in it must be known before what follows it in its session.
  await spool.begin();
  return {
    ...pipeline,
    intake,
    spool,
    takeLive: (envelope: Envelope) => spool.before(sessionOf(envelope)).then(() => take(envelope)),
    /** Whatever was set aside is tried again; how much that is. */
    retry: () => {
      turnQueue.wake();
      return spool.retry() + retryAll(db);
    },
    facts: factsOf(pipeline),
  };
}

export type Capture = Awaited<ReturnType<typeof startCapture>>;

const sessionOf = ({ payload }: Envelope): string =>
  typeof payload === 'object' && payload !== null && 'session_id' in payload ? String(payload.session_id) : '';

function factsOf(pipeline: ReturnType<typeof startPipeline>) {
  const { db, paths, config, isOurs, self, turnQueue, model, clock, version, startedAt, fromVariables, viewer } = pipeline;
  return {
    ...{ db, paths, config, isOurs, ...self.facts, clock, version, startedAt, fromVariables, model },
    ...{ queue: pipeline.queue, latencies: pipeline.latencies },
    settingProblems: () => [...pipeline.configProblems(), ...[pipeline.retention.problem()].filter((problem) => problem !== null)],
    lastSuccessAt: turnQueue.lastSuccessAt,
    spooled: createSpoolList(paths.spool),
    web: () => ({ ...viewer }),
    port: () => Number(viewer.address?.split(':').pop()) || null,
  };
}

type Background = ReturnType<typeof import('./background.ts').startBackground>;

/** What a starting session is answered. */
function createStart(capture: Capture, background: Lazy<Background>) {
  const { db, paths, config, log, clock, patience, keeper, links, viewer, facts, turnQueue, spool, checkFreshness } = capture;
  const probe = createProbe(paths.database);
  const { open } = background;
  return createStartSession({
    ...{ db, config, turnQueue, spool, log, clock, patience, damage: keeper.notice, checkFreshness, home: capture.home },
    readCommits: async (cwd) => (await open()).git.readNow(cwd),
    settleNow: capture.settling.settleNow,
    warm: async () => (await open()).warm(),
    findWarning: () => findWarning({ ...facts, probe }),
    notice: capture.model.notice,
    viewerLink: () => (viewer.address === null ? '' : makeLink(links, viewer.address, SESSION_LINK_MS).url),
  });
}

/** What hooks are answered. */
function serveHooks(capture: Capture, background: Lazy<Background>, startSession: StartSession['answer']) {
  const { db, config, log, clock, patience, watch, latencies, intake, spool, turnQueue, onActivity, checkFreshness } = capture;
  const notes = createNotes({
    ...{ db, checkFreshness, clock, rules: readRules({ db, config, clock }) },
    promptNote: inTime(async (query) => (await background.open()).promptNote(query), { patience, latencies }),
  });
  const damage = capture.keeper.notice;
  return createHookServer({ intake, spool, turnQueue, startSession, notes, damage, log, clock, onActivity, patience, watch, latencies });
}

/**
 * On a unix socket: reachable by this user's programs, by no browser. `open` are the requests that wait for their answer. Whoever asks
 * knows how long to wait: one that is cut off asks for the same again.
 */
const serveHttp = (background: Lazy<Background>, open: Set<Request>) => (unix: string) =>
  Bun.serve({
    unix,
    // Bun's types know it of ports alone.
    idleTimeout: 0 as never,
    async fetch(request) {
      open.add(request);
      try {
        return await (await background.open()).api.app.fetch(request, { isTrusted: true });
      } finally {
        open.delete(request);
      }
    },
  });

function keepHouse(capture: Capture, background: Lazy<Background>, connections: () => number) {
  const { db, isOurs, config, log, clock, quietMs, onDone, retention, stored } = capture;
  return startHousekeeping({
    ...{ db, isOurs, config, log, clock, quietMs, onDone, guard: capture.keeper, isReplaceable: capture.isReplaceable ?? false },
    connections: () => connections() + (background.now()?.connections() ?? 0),
    retain: () => {
      const hasMore = retention.tidy();
      if (hasMore) stored.emit();
      return hasMore;
    },
    hasQuestions: () =>
      [capture.model, capture.reconcile, capture.settling, capture.rescan, background.now()].some((part) => part?.hasWork() ?? false),
  });
}

/** Whoever emits need not know who listens, and may be made before them. */
function createSignal<T = void>() {
  const listeners: ((value: T) => void)[] = [];
  return {
    on: (listener: (value: T) => void) => void listeners.push(listener),
    emit: (value: T) => {
      for (const listener of listeners) listener(value);
    },
  };
}

type Lazy<T extends { close: () => Promise<void> }> = ReturnType<typeof createLazy<T>>;

function createLazy<T extends { close: () => Promise<void> }>(load: () => Promise<T>, log: Log) {
  const { promise: ready, resolve } = Promise.withResolvers<T>();
  let opening: Promise<T> | null = null;
  let value: T | null = null;
  const open = () => {
    opening ??= load().then((loaded) => {
      value = loaded;
      resolve(loaded);
      return loaded;
    });
    opening.catch((error) => log.error('search cannot be used', { error: String(error) }));
    return opening;
  };
  return {
    open,
    /** Null until it is loaded. */
    now: () => value,
    /** Resolves when somebody has had it loaded. */
    ready,
    close: async () => {
      await opening?.catch(() => null);
      await value?.close();
    },
  };
}
