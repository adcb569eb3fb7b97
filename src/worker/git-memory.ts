// Keeps the git log of each project as memory: when HEAD has moved, what is new is read in the background, a little at a time.
import type { Database } from 'bun:sqlite';
import type { Config } from '../config.ts';
import { hashParts } from '../core/ids.ts';
import type { ProjectIdentity } from '../core/project.ts';
import { settingsFor } from '../core/project-settings.ts';
import { readHead } from '../git/head.ts';
import { type LoggedCommit, listLeftBehind, readLog } from '../git/log.ts';
import { type CommitPlace, storeCommit } from '../importer/commit-store.ts';
import type { Log } from '../log.ts';
import { type CommitTrace, linkMemories, listTraces } from '../store/commit-links.ts';
import { listLogHeads, noteLogRead, readLogHead } from '../store/commits.ts';
import { ensureProject, type Project } from '../store/projects.ts';
import { completeSession, ensureSession, findSession } from '../store/sessions.ts';
import { isForgotten } from '../store/tombstones.ts';
import { isExcludedFile } from './exclusions.ts';
import { identifyPlace, nameProject } from './identify-place.ts';
import { makeClean } from './remember.ts';
import { findSilence, isSilent, type SilenceSettings } from './silence.ts';

export type GitMemoryDeps = {
  db: Database;
  config: () => Pick<Config, 'gitCommits'> & SilenceSettings;
  log: Log;
  clock: () => number;
  /** Something was stored, or its words have changed. */
  onStored: () => void;
};

export type GitMemory = {
  /** Something happened in this folder: its log is looked at soon. */
  noteProject: (cwd: string) => void;
  /** The same at once, after what is being read. */
  readNow: (cwd: string) => Promise<{ added: number }>;
  hasWork: () => boolean;
  close: () => Promise<void>;
};

/** Several events come at once, and what a turn is distilled to comes a moment after it. */
const SOON_MS = 1500;

export function createGitMemory(deps: GitMemoryDeps): GitMemory {
  const { log } = deps;
  const waiting = new Set<string>();
  let timer: Timer | null = null;
  const closing = new AbortController();
  const { signal } = closing;
  /** One git process at a time. */
  let last: Promise<unknown> = Promise.resolve();
  let running = 0;
  /** What git would not tell it does not tell the next moment either. */
  const refused = new Map<string, string>();

  const read = (cwd: string): Promise<{ added: number }> => {
    running++;
    const next = last.then(() => readFolder({ ...deps, refused, signal }, cwd));
    const done = next.finally(() => running--);
    last = done.catch(() => undefined);
    return done;
  };
  const readWaiting = () => {
    timer = null;
    const folders = [...waiting];
    waiting.clear();
    for (const cwd of folders)
      read(cwd).catch((error) => log.error('the git log could not be read', { error: String(error) }));
  };

  return {
    noteProject(cwd) {
      if (signal.aborted) return;
      waiting.add(cwd);
      timer ??= setTimeout(readWaiting, SOON_MS);
    },
    readNow: (cwd) => (signal.aborted ? Promise.resolve({ added: 0 }) : read(cwd)),
    hasWork: () => waiting.size > 0 || running > 0,
    async close() {
      closing.abort();
      if (timer) clearTimeout(timer);
      waiting.clear();
      await last;
    },
  };
}

const NOTHING = { added: 0 };

type ReadDeps = GitMemoryDeps & { refused: Map<string, string>; signal: AbortSignal };

async function readFolder(deps: ReadDeps, cwd: string): Promise<{ added: number }> {
  const { db, config, clock, onStored, refused, signal } = deps;
  const most = config().gitCommits;
  const identity = identifyPlace(cwd, config());
  const head = readHead(identity.root).commit;
  if (signal.aborted || most === 0 || head === null) return NOTHING;
  const names = nameProject(db, identity);
  if (isSilent(db, config(), { session: null, cwd, project: names, at: clock() })) return NOTHING;
  const project = db.transaction(() => ensureProject(db, identity, clock())).immediate();
  if (isForgotten(db, 'session', sessionName(project))) return NOTHING;
  const { root, part } = identity;
  // A folder that is a project of its own has a log of its own.
  const logRoot = part === undefined ? root : `${root}/${part}`;
  const before = readLogHead(db, logRoot);
  if (before === head) {
    linkLatest(db, project.id, clock());
    return NOTHING;
  }
  if (refused.get(logRoot) === head) return NOTHING;
  const known = listLogHeads(db, project.id);
  const commits = await readLog({ root, head, known, most, within: part ?? null, signal });
  if (commits === null) {
    if (!signal.aborted) deps.log.warn('git did not tell its log', { head });
    refused.set(logRoot, head);
    return NOTHING;
  }
  const leftBehind = (before && commits.length > 0 ? await listLeftBehind(root, before, head) : null) ?? new Set();
  if (signal.aborted) return NOTHING;
  const place = findPlace(deps, { project, identity, leftBehind });
  const added = await storeInSlices(deps, commits.reverse(), place);
  if (signal.aborted) return { added };
  noteLogRead(db, { root: logRoot, projectId: project.id, head, at: clock() });
  if (commits.length > 0) onStored();
  return { added };
}

type Found = { project: Project; identity: ProjectIdentity; leftBehind: ReadonlySet<string> };

function findPlace({ db, config, clock }: GitMemoryDeps, { project, identity, leftBehind }: Found): CommitPlace {
  const settings = config();
  const { root } = identity;
  const names = nameProject(db, identity);
  const { excludePaths } = settingsFor(settings, names);
  const excluded = new Map<string, boolean>();
  return {
    owner: {
      sessionId: ensureGitSession(db, project, clock()),
      projectId: project.id,
      promptNumber: 0,
      batchId: null,
      isProvisional: false,
    },
    clean: makeClean,
    isSilent: (at) => findSilence(db, settings, { session: null, cwd: root, project: names, at }) !== null,
    isExcluded(path) {
      const known = excluded.get(path) ?? isExcludedFile({ excludePaths, root, cwd: root }, path);
      excluded.set(path, known);
      return known;
    },
    leftBehind,
  };
}

const HOST = 'git';
const sessionName = ({ key }: Project) => `${HOST}:${hashParts([key]).slice(0, 16)}`;

/** One for each project, for the bookkeeping: a commit was made in no session that is known here. */
function ensureGitSession(db: Database, project: Project, at: number): number {
  const hostSessionId = sessionName(project);
  const known = findSession(db, hostSessionId);
  if (known) return known.id;
  const place = { cwd: project.root, root: project.root, branch: null };
  const session = ensureSession(db, { host: HOST, hostSessionId, projectId: project.id, ...place, at });
  completeSession(db, session.id, HOST, at);
  return session.id;
}

const SLICE_MS = 5;
/** Then whoever waits comes first. */
const REST = 1;

/** Oldest first. Killed in between, the next reading passes over what is there. */
async function storeInSlices({ db, signal }: ReadDeps, commits: LoggedCommit[], place: CommitPlace): Promise<number> {
  let added = 0;
  for (let at = 0; at < commits.length && !signal.aborted; ) {
    const startedAt = performance.now();
    const from = at;
    db.transaction(() => {
      do {
        const commit = commits[at++];
        if (commit && storeCommit(db, commit, place)) added++;
      } while (at < commits.length && performance.now() - startedAt < SLICE_MS);
      linkMemories(db, place.owner.projectId, commits.slice(from, at).map(traceOf));
    }).immediate();
    await Bun.sleep(REST * (performance.now() - startedAt));
  }
  return added;
}

const traceOf = ({ hash, parents, committedAt, touches }: LoggedCommit): CommitTrace => ({
  hash,
  parent: parents.length === 1 ? (parents[0] ?? null) : null,
  at: committedAt,
  blobs: new Map(touches.map(({ path, to }) => [path, to])),
});

const RECENT_MS = 7 * 86_400_000;

/** A turn is distilled after its commit was read. */
function linkLatest(db: Database, projectId: number, now: number): void {
  db.transaction(() => linkMemories(db, projectId, listTraces(db, projectId, now - RECENT_MS))).immediate();
}
