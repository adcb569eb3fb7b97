// Everything that no hook waits for: the index, search, forgetting, jobs, the git log, the stream and the HTTP API. A bundle of its own,
// loaded a moment after the start, or when somebody asks.

import { runBackup } from '../backup/copies.ts';
import { listSilences } from '../capture/silence.ts';
import { createPromptNote } from '../context/found-notes.ts';
import type { MemoryRef } from '../core/memory.ts';
import { createForget } from '../forget/forget.ts';
import { checkExport, runExport } from '../import/export.ts';
import { runExportImport } from '../import/from-export.ts';
import { runOriginalImport } from '../import/from-original.ts';
import { runTranscriptImport } from '../import/from-transcripts.ts';
import { createGitMemory, type GitMemory } from '../import/git-memory.ts';
import { runImport } from '../import/import.ts';
import { runRebuild } from '../observe/rebuild.ts';
import { createFinder, findBest } from '../search/find.ts';
import { Indexing } from '../search/indexing.ts';
import { createSyncLoop } from '../sync/loop.ts';
import { createProcessing } from './activity-flag.ts';
import { Announce } from './announce.ts';
import type { Capture } from './app.ts';
import { limitAgents } from './http/agent-limit.ts';
import { createApi } from './http/api.ts';
import { createStaticFiles } from './http/static-files.ts';
import { keepLastPort, openToken } from './http/token.ts';
import { openWebServer, type WebServer } from './http/web-server.ts';
import { Jobs, runVacuum } from './jobs.ts';
import { allRoutes } from './routes/index.ts';
import { Stream } from './stream.ts';

export { takeTranscript } from '../capture/take-session.ts';

/** Any words do: what a search needs is loaded by searching. */
const WARM_UP = 'what was decided';

export function startBackground(capture: Capture) {
  const { log } = capture;
  const parts = startParts(capture);
  const { git, jobs, index, finder, stream, announce, forget, promptNote, sync } = parts;
  const web = serveWeb(capture, parts);
  jobs.resume();
  forget.finish().catch((error) => log.error('a deletion could not be finished', { error: String(error) }));
  return {
    api: web.api,
    git,
    promptNote,
    warm: async () => void (await finder.find(WARM_UP, { projectIds: null })),
    connections: () => Math.max(web.connections(), stream.count()),
    hasWork: () => [index, jobs, git, sync].some((part) => part.hasWork()),
    close: async () => {
      announce.close();
      await web.close();
      for (const part of [sync, jobs, git, index]) await part.close();
    },
  };
}

function startParts(capture: Capture) {
  const { db, paths, config, log, clock, stored, ingested, model, checkFreshness, latencies, home } = capture;
  const git = createGitMemory({ db, config, log, clock, home, onStored: stored.emit });
  const jobs = new Jobs({ db, log, clock, checks: { export: checkExport({ db, clock }) }, kinds: chooseJobs(capture, git) });
  const index = new Indexing({ db, paths, config, log, clock, isBusy: jobs.hasWork, onBatch: (ms) => latencies.note('index', ms) });
  const finder = createFinder({ db, models: index.models, clock });
  const processing = createProcessing({ db, clock, hasModelWork: model.hasWork });
  const stream = new Stream({ clock });
  const figures = {
    processing: processing.read,
    spend: () => {
      const { spentToday, exhausted } = model.status();
      return { spentToday, exhausted };
    },
    silences: () => ({ silences: listSilences(db, config(), clock()) }),
  };
  const announce = new Announce({ db, stream, figures, log });
  stored.on(index.wake);
  stored.on(announce.stored);
  ingested.on(announce.ingested);
  const forget = createForget({
    ...{ db, paths, clock, index, log, drainSpool: () => capture.spool.drain(), stopSession: model.stopSession },
    onForgotten: announce.forgotten,
  });
  const promptNote = createPromptNote({ db, finder, checkFreshness, clock });
  const erase = async (refs: MemoryRef[]) => void (await forget.eraseScope({ refs }));
  const sync = createSyncLoop({ db, path: paths.sync, config, clock, log, onStored: stored.emit, erase, scour: forget.scour });
  stored.on(sync.wake);
  return { git, jobs, index, finder, processing, stream, announce, forget, promptNote, sync };
}

function serveWeb(capture: Capture, parts: ReturnType<typeof startParts>) {
  const { paths, config, log, db, home, held, links, viewer, stored, settling, turnQueue, model, facts } = capture;
  const { git, index, finder, stream, announce, sync } = parts;
  const token = openToken({ path: paths.token, log });
  // A link of before would bring whoever has it the new token.
  token.onRotate(links.clear);
  const opening = Promise.withResolvers<void>();
  let server: WebServer | null = null;
  const routes = allRoutes({
    ...capture,
    ...parts,
    token,
    take: capture.takeLive,
    facts,
    choosing: { db, home: home ?? '', options: config },
    readIndexProblem: index.openProblem,
    findBest: (query, scope) => findBest(finder, query, scope),
    onStored: stored.emit,
    onRenamed: settling.wake,
    readCommits: git.readNow,
    finishProject: turnQueue.finishProject,
    stopSession: model.stopSession,
    timeoutMs: () => config().deleteTimeoutMs,
    address: () => opening.promise.then(() => viewer.address),
    port: facts.port,
  });
  const onChange = () => {
    announce.stored();
    sync.wake();
  };
  const api = createApi(routes, { version: capture.version, log, before: limitAgents({ db, config }), onChange });
  held?.release();
  openWebServer({ port: held?.port ?? 0, api, token, staticFiles: createStaticFiles(), log })
    .then((opened) => {
      // Somebody was faster: what was said to be there is theirs, and must open nothing.
      if (opened.address !== held?.address) links.clear();
      viewer.address = opened.address;
      server = opened;
      const port = facts.port();
      if (port !== null) keepLastPort(paths.webPort, port);
    })
    .catch((error) => log.error('the viewer could not be opened', { error: String(error) }))
    .finally(opening.resolve);
  return {
    api,
    connections: () => server?.connections() ?? 0,
    close: async () => {
      await opening.promise;
      stream.close();
      await server?.close();
    },
  };
}

function chooseJobs(capture: Capture, git: GitMemory) {
  const { db, paths, config, log, clock, stored, turnQueue, model, settling, reconcile, self } = capture;
  const common = { db, database: paths.database, options: config, clock, home: capture.home ?? '' };
  const onStored = () => {
    stored.emit();
    for (const part of [turnQueue, model, settling]) part.wake();
  };
  const sources = {
    transcripts: runTranscriptImport({
      ...common,
      keepDays: () => config().retentionDays,
      memoryDays: () => config().keepDays,
      hasModel: () => model.status().provider !== null,
      hold: (session) => reconcile.hold(session),
      addReader: self.addReader,
      onStored,
      onProject: git.noteProject,
    }),
    export: runExportImport({ db, settings: config, clock, log, onStored }),
    'claude-mem.db': runOriginalImport({ db, settings: config, dataDir: paths.dataDir, clock, onStored }),
  };
  return {
    import: runImport(sources),
    export: runExport({ db, log, clock }),
    rebuild: runRebuild({ ...common, keepRecords: () => config().keepRecords, onStored: stored.emit }),
    vacuum: runVacuum({ db, paths, log }),
    backup: runBackup(paths),
  };
}
