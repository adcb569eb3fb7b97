// Everything that no hook waits for: the index, search, forgetting, and the HTTP routes, in a bundle of its own.
import { createErrorNote, type ErrorNote } from '../context/error-note.ts';
import { createPromptNote, type PromptNote } from '../context/prompt-note.ts';
import type { TellDeps } from '../context/tell.ts';
import type { Envelope } from '../core/envelope.ts';
import type { Log } from '../log.ts';
import { createFinder } from '../search/find.ts';
import { findBest } from '../search/find-best.ts';
import type { WalWatch } from '../server/wal-watch.ts';
import { createForget } from './corrections/forget.ts';
import { checkExport } from './export/export.ts';
import { addAllRoutes } from './http/add-all-routes.ts';
import { createApi } from './http/app.ts';
import type { Links } from './http/door/links.ts';
import { createStaticFiles } from './http/door/static-files.ts';
import { openToken } from './http/door/token.ts';
import { openWebDoor, type WebDoor } from './http/door/web-door.ts';
import { type HeldPort, keepLastPort } from './http/door/web-port.ts';
import { createStreams } from './http/streams.ts';
import { createIndexing, type IndexState } from './index/indexing.ts';
import { startOldMemories } from './index/old-memories.ts';
import type { Ingested } from './intake/ingest.ts';
import { chooseJobs } from './jobs/job-kinds.ts';
import { createJobs } from './jobs/jobs.ts';
import type { ModelStatus } from './observing/model-observer.ts';
import { createGitMemory, type GitMemory } from './projects/git-memory.ts';
import { listSilences } from './silence/silence.ts';
import type { WantedTranscript } from './transcripts/reconcile.ts';
import { takeTranscript } from './transcripts/take-transcript.ts';
import { createAnnounce } from './watch/announce.ts';
import { createBus } from './watch/bus.ts';
import type { HealthFacts } from './watch/health-checks.ts';
import type { Latencies } from './watch/latencies.ts';
import { createProcessing } from './watch/processing.ts';
import type { QueueTrend } from './watch/queue-trend.ts';
import type { Stats } from './watch/stats.ts';
import type { Status } from './watch/status.ts';

export type MemoryDoorDeps = HealthFacts & {
  log: Log;
  version: string;
  startedAt: number;
  fromVariables: string[];
  drainSpool: () => Promise<void>;
  /** The door of hooks, for programs that speak HTTP. */
  take: (envelope: Envelope) => Promise<Ingested>;
  /** A process that reads the database: how to make it begin anew, should the log grow because of it. */
  addReader: WalWatch['addReader'];
  /** Whatever was set aside is tried again; how much that is. */
  retry: () => number;
  /** Distils what is ready in a project, for at most so long. */
  finishProject: (projectId: number, budgetMs: number) => Promise<void>;
  /** Cuts off the question that is put to a model about this session. */
  stopSession: (sessionId: number) => Promise<void>;
  model: { status: () => ModelStatus; hasWork: () => boolean };
  latencies: Latencies;
  queue: QueueTrend;
  links: Links;
  /** Held for the web door; null: there is none. */
  held: HeldPort | null;
  onActivity: () => void;
  /** Keeps reconciling and distilling off a session that an import reads. */
  hold: (hostSessionId: string) => () => void;
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
  /** Where the web door is, or will be in a moment; null when there is none. */
  webAddress: () => string | null;
  /** Pages and programs that are connected. */
  connections: () => number;
  /** Something came in by a hook. */
  noteIngested: (ingested: Ingested) => void;
  /** What matters for a prompt, or nothing. */
  promptNote: PromptNote;
  errorNote: ErrorNote;
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
  const { db, paths, config, log, clock, drainSpool, readStats, checkFreshness, home, model, latencies } = deps;
  const index = createIndexing({ db, paths, config, log, clock, latencies, isBusy: () => jobs.hasWork() });
  const finder = createFinder({ db, models: index.models, clock });
  const forget = createForget({
    ...{ db, paths, clock, index, drainSpool, log },
    stopSession: deps.stopSession,
    onForgotten: () => announce.forgotten(),
  });
  const oldMemories = startOldMemories({ db, clock, log, onAdded: index.wake });
  const processing = createProcessing({ db, clock, hasModelWork: model.hasWork, onChange: () => announce.stored() });
  const bus = createBus({ clock });
  const streams = createStreams({ bus });
  const announce = createAnnounce({
    db,
    bus,
    readSpend: () => readSpend(model.status()),
    readSilences: () => ({ silences: listSilences(db, config(), clock()) }),
    readProcessing: processing.read,
    log,
  });
  const wake = () => {
    index.wake();
    announce.stored();
  };
  const promptNote = createPromptNote({ db, finder, checkFreshness, clock });
  const git = createGitMemory({ db, config, log, clock, home, onStored: wake });
  const jobs = createJobs({
    db,
    log,
    clock,
    checks: { export: checkExport({ db, clock }) },
    kinds: chooseJobs({
      ...deps,
      hasModel: () => model.status().provider !== null,
      onStored: wake,
      onProject: git.noteProject,
    }),
  });
  const token = openToken({ path: paths.token, log });
  // A link of before would bring whoever has it the new token.
  token.onRotate(() => deps.links.clear());
  const api = createApi({ readStatus: () => deps.readStatus(index.status), readStats, log });
  // Whatever a route has changed, those who watch hear of.
  api.app.use(async (c, next) => {
    await next();
    if (c.req.method !== 'GET') announce.stored();
  });
  const webAddress = () => (web ? web.address() : (deps.held?.address ?? null));
  addAllRoutes(api, {
    ...deps,
    index,
    finder,
    readIndexProblem: index.openProblem,
    findBest: (query, scope) => findBest(finder, query, scope),
    onStored: wake,
    forget,
    promptNote,
    readCommits: git.readNow,
    jobs,
    processing,
    streams,
    token,
    timeoutMs: () => config().deleteTimeoutMs,
    address: async () => {
      await opening;
      return webAddress();
    },
    port: () => portOf(webAddress()),
  });
  let web: WebDoor | null = null;
  deps.held?.release();
  const door = { port: deps.held?.port ?? 0, api: async () => api, token, staticFiles: createStaticFiles(), log };
  const opening = openWebDoor(door)
    .then((opened) => {
      // Somebody was faster: what was said to be there is theirs, and must open nothing.
      if (opened.address() !== deps.held?.address) deps.links.clear();
      web = opened;
      const port = portOf(opened.address());
      if (port !== null) keepLastPort(paths.webPort, port);
    })
    .catch((error) => log.error('the web door could not be opened', { error: String(error) }));
  jobs.resume();
  forget.finish().catch((error) => log.error('an erasure could not be finished', { error: String(error) }));
  return {
    answer: (request) => api.app.fetch(request, { door: 'socket', isTrusted: true }),
    webAddress,
    connections: () => Math.max(web?.connections() ?? 0, streams.count()),
    noteIngested: announce.ingested,
    promptNote,
    errorNote: createErrorNote({ db, checkFreshness, clock }),
    git,
    takeTranscript: (wanted) => takeTranscript({ db, options: config, clock }, wanted),
    warm: async () => {
      await finder.find(WARM_UP, { projectIds: null });
    },
    wake,
    hasWork: () => index.hasWork() || oldMemories.hasWork() || jobs.hasWork() || git.hasWork(),
    close: async () => {
      await opening;
      streams.closeAll();
      await web?.close();
      announce.close();
      bus.close();
      await jobs.close();
      await git.close();
      oldMemories.close();
      await index.close();
    },
  };
}

const portOf = (address: string | null) => Number(address?.split(':').pop()) || null;

const readSpend = ({ spentToday, exhausted }: ModelStatus) => ({ spentToday, exhausted });
