// Keeps the git log of each project as memory: when HEAD has moved, what is new is read in the background, a little at a time.
import type { Database } from 'bun:sqlite';
import type { Config } from '../config.ts';
import { hashParts } from '../core/ids.ts';
import type { ProjectIdentity } from '../core/project.ts';
import { settingsFor } from '../core/project-settings.ts';
import { isSameAuthor, readAuthor } from '../git/author.ts';
import { readHead } from '../git/head.ts';
import { listLeftBehind } from '../git/left-behind.ts';
import { type LoggedCommit, readLog } from '../git/log.ts';
import type { CommitPlace } from '../importer/commit-store.ts';
import type { Log } from '../log.ts';
import { linkMemories, listTraces } from '../store/commit-links.ts';
import { listHashesWrittenAt, listLogHeads, noteLogRead, readLogHead } from '../store/commits.ts';
import { ensureProject, type Project } from '../store/projects.ts';
import { completeSession, ensureSession, findSession } from '../store/sessions.ts';
import { isForgotten } from '../store/tombstones.ts';
import { isExcludedFile } from './exclusions.ts';
import { identifyPlace, nameProject } from './identify-place.ts';
import { makeClean } from './remember.ts';
import { findSilence, isSilent, type SilenceSettings } from './silence.ts';
import { settleStored, storeCommits } from './store-commits.ts';

export type GitMemoryDeps = {
  db: Database;
  config: () => Pick<Config, 'gitCommits'> & SilenceSettings;
  log: Log;
  clock: () => number;
  /** Where the person's own settings of git lie; null when nobody knows. */
  home: string | null;
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
  const { db, config, clock, log, refused, signal } = deps;
  const identity = identifyPlace(cwd, config());
  const head = readHead(identity.root).commit;
  if (signal.aborted || config().gitCommits === 0 || head === null) return NOTHING;
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
  const { added, isWhole } = await readNew(deps, { project, identity, head, known });
  if (signal.aborted) return { added };
  if (isWhole) noteLogRead(db, { root: logRoot, projectId: project.id, head, at: clock() });
  else {
    log.warn('git did not tell its log', { head });
    refused.set(logRoot, head);
  }
  return { added };
}

type Reading = { project: Project; identity: ProjectIdentity; head: string; known: string[] };

/** A session may wait for the first reading of a log: so many of the newest come before the rest. */
const FIRST = 200;

async function readNew(deps: ReadDeps, reading: Reading): Promise<{ added: number; isWhole: boolean }> {
  const { db, config, onStored, signal } = deps;
  const { identity, head, known } = reading;
  const { root, part } = identity;
  const most = config().gitCommits;
  const isFirst = known.length === 0;
  const read = async (skip: number, upTo: number) => {
    const commits = await readLog({ root, head, known, skip, most: upTo - skip, within: part ?? null, signal });
    return commits?.reverse() ?? null;
  };
  const newest = await read(0, isFirst ? Math.min(FIRST, most) : most);
  if (!newest) return { added: 0, isWhole: false };
  const place = await findPlace(deps, reading, newest);
  const added = await storeCommits(deps, newest, place);
  if (newest.length > 0) onStored();
  if (!isFirst || newest.length < FIRST || most <= FIRST) return { added, isWhole: true };
  const older = await read(FIRST, most);
  if (!older) return { added, isWhole: false };
  const more = await storeCommits(deps, older, place);
  if (!signal.aborted) settleStored(db, newest, place);
  onStored();
  return { added: added + more, isWhole: true };
}

async function findPlace(deps: GitMemoryDeps, reading: Reading, commits: LoggedCommit[]): Promise<CommitPlace> {
  const { db, config, clock, home } = deps;
  const { project, identity, head, known } = reading;
  const moments = commits.map(({ authoredAt }) => authoredAt);
  const leftBehind = await listLeftBehind(identity.root, listHashesWrittenAt(db, project.id, moments), head);
  const person = commits.length > 0 ? await readAuthor(identity.root, home) : null;
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
    readAt: known.length === 0 ? 0 : clock(),
    isOwn: (author) => person && isSameAuthor(author, person),
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

const RECENT_MS = 7 * 86_400_000;

/** A turn is distilled after its commit was read. */
function linkLatest(db: Database, projectId: number, now: number): void {
  db.transaction(() => linkMemories(db, projectId, listTraces(db, projectId, now - RECENT_MS))).immediate();
}
