// Keeps the git log of each project as memory: when HEAD has moved, what is new is read in the background, a little at a time.
import type { Database } from 'bun:sqlite';
import type { Config } from '../../config.ts';
import { hashParts } from '../../core/ids.ts';
import type { ProjectIdentity } from '../../core/project.ts';
import { settingsFor } from '../../core/project-settings.ts';
import { type Author, isSameAuthor, readNames } from '../../git/author.ts';
import { readHead } from '../../git/head.ts';
import { listLeftBehind } from '../../git/left-behind.ts';
import { type LoggedCommit, readLog } from '../../git/log.ts';
import { listMadeHere } from '../../git/made-here.ts';
import type { CommitPlace } from '../../importer/commit-store.ts';
import type { Log } from '../../log.ts';
import { linkMemories, listTraces } from '../../memory/commit-links.ts';
import {
  doubtOwnCommits,
  listHashesWrittenAt,
  listLogHeads,
  noteLogRead,
  noteMadeHere,
  readLogHead,
} from '../../store/commits/commits.ts';
import { isForgotten } from '../../store/forgetting/tombstones.ts';
import { takeNotice } from '../../store/notices.ts';
import { ensureProject, findProjectBy, type Project } from '../../store/projects/projects.ts';
import { completeSession, ensureSession, findSession } from '../../store/sessions/sessions.ts';
import { hasWorkedIn } from '../../store/trust/trusted.ts';
import { makeClean } from '../corrections/remember.ts';
import { isExcludedFile } from '../silence/exclusions.ts';
import { findSilence, isSilent, type SilenceSettings } from '../silence/silence.ts';
import { identifyPlace, nameProject } from './identify-place.ts';
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
  /** Work trees whose reflog was looked at for commits that were read before. */
  const shown = new Set<string>();

  const read = (cwd: string): Promise<{ added: number }> => {
    running++;
    const next = last.then(() => readFolder({ ...deps, refused, shown, signal }, cwd));
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

type ReadDeps = GitMemoryDeps & { refused: Map<string, string>; shown: Set<string>; signal: AbortSignal };

async function readFolder(deps: ReadDeps, cwd: string): Promise<{ added: number }> {
  const { db, config, clock, log, refused, shown, signal } = deps;
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
  // Before what is new: it may take back what they went into.
  linkLatest(db, project.id, clock());
  const isSame = before === head || refused.get(logRoot) === head;
  if (isSame && shown.has(logRoot)) return NOTHING;
  const people = await listPeople(deps, project, root);
  if (!shown.has(logRoot)) showMadeHere(deps, project, listMadeHere(root, people));
  shown.add(logRoot);
  if (isSame) return NOTHING;
  const known = listLogHeads(db, project.id);
  const { added, isWhole } = await readNew(deps, { project, identity, head, known, people });
  // Joined with another or split meanwhile: what happens next there reads it again.
  if (signal.aborted || !isStill(db, { identity, project })) return { added };
  if (isWhole) noteLogRead(db, { root: logRoot, projectId: project.id, head, at: clock() });
  else {
    log.warn('git did not tell its log', { head });
    refused.set(logRoot, head);
  }
  return { added };
}

/** Of commits that were read before. A store of 0.1 took a name or an address for proof: once, all of that is in doubt. */
function showMadeHere({ db, clock }: ReadDeps, { id }: Project, hashes: Set<string>): void {
  db.transaction(() => {
    if (takeNotice(db, 'own-commits-doubted', clock())) doubtOwnCommits(db);
    if (hashes.size > 0) noteMadeHere(db, id, hashes);
  }).immediate();
}

type Reading = { project: Project; identity: ProjectIdentity; head: string; known: string[]; people: Author[] };

/** What a repository calls its user counts where the person has worked: before, anybody may have written it. */
async function listPeople({ db, home }: ReadDeps, project: Project, root: string): Promise<Author[]> {
  const { person, here } = await readNames(root, home);
  return [person, hasWorkedIn(db, project.id) ? here : null].filter((one) => one !== null);
}

/** A session may wait for the first reading of a log: so many of the newest come before the rest, and these before the others. */
const FIRST = [40, 240];

async function readNew(deps: ReadDeps, reading: Reading): Promise<{ added: number; isWhole: boolean }> {
  const { db, config, onStored, signal } = deps;
  const most = config().gitCommits;
  const steps = reading.known.length === 0 ? [...FIRST.filter((step) => step < most), most] : [most];
  let [added, read] = [0, 0];
  let place: CommitPlace | null = null;
  let stored: LoggedCommit[] = [];
  for (const step of steps) {
    const commits = await readPart(reading, { skip: read, most: step - read, signal });
    if (!commits) return { added, isWhole: false };
    place ??= await findPlace(deps, reading, commits);
    added += await storeCommits(deps, { commits, place, isAwaited: step < most });
    if (commits.length > 0) onStored();
    [read, stored] = [step, [...commits, ...stored]];
    if (stored.length < step || signal.aborted) break;
  }
  // The newest were stored before what they may take back.
  if (place?.isStill() && steps.length > 1 && !signal.aborted) settleStored(db, stored, place);
  return { added, isWhole: true };
}

/** Oldest first. */
async function readPart(
  { identity, head, known }: Reading,
  part: { skip: number; most: number; signal: AbortSignal },
): Promise<LoggedCommit[] | null> {
  const commits = await readLog({ root: identity.root, head, known, within: identity.part ?? null, ...part });
  return commits?.reverse() ?? null;
}

const isStill = (db: Database, { identity, project }: Pick<Reading, 'identity' | 'project'>): boolean =>
  findProjectBy(db, identity)?.id === project.id;

async function findPlace(deps: ReadDeps, reading: Reading, commits: LoggedCommit[]): Promise<CommitPlace> {
  const { db, config, clock } = deps;
  const { project, identity, head, known, people } = reading;
  const moments = commits.map(({ authoredAt }) => authoredAt);
  const leftBehind = await listLeftBehind(identity.root, listHashesWrittenAt(db, project.id, moments), head);
  const settings = config();
  const { root } = identity;
  const names = nameProject(db, identity);
  const { excludePaths } = settingsFor(settings, names);
  const excluded = new Map<string, boolean>();
  const madeHere = listMadeHere(root, people);
  return {
    owner: {
      sessionId: ensureGitSession(db, project, clock()),
      projectId: project.id,
      promptNumber: 0,
      batchId: null,
      isProvisional: false,
    },
    isStill: () => isStill(db, reading),
    clean: makeClean,
    isSilent: (at) => findSilence(db, settings, { session: null, cwd: root, project: names, at }) !== null,
    isExcluded(path) {
      const known = excluded.get(path) ?? isExcludedFile({ excludePaths, root, cwd: root }, path);
      excluded.set(path, known);
      return known;
    },
    leftBehind,
    readAt: known.length === 0 ? 0 : clock(),
    isOwn: ({ hash, author }) => {
      if (people.length === 0) return null;
      return people.some((person) => isSameAuthor(author, person)) ? madeHere.has(hash) || null : false;
    },
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
