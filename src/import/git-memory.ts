// Keeps the git log of each project as memory: when HEAD has moved, what is new is read in the background, a little at a time.
import type { Database } from 'bun:sqlite';
import { isExcludedFile } from '../capture/exclusions.ts';
import { findSilence, isSilent, type SilenceSettings } from '../capture/silence.ts';
import type { Config } from '../config.ts';
import { makeClean } from '../core/plain-line.ts';
import { type ProjectIdentity, settingsFor } from '../core/project.ts';
import { readHead } from '../git/identity.ts';
import { type LoggedCommit, readLog } from '../git/log.ts';
import { type Author, isSameAuthor, listMadeHere, readNames } from '../git/own-commits.ts';
import { listLeftBehind } from '../git/proof.ts';
import type { Log } from '../log.ts';
import { doubtOwnCommits, listHashesWrittenAt, listLogHeads, noteLogRead, noteMadeHere, readLogHead } from '../memory/git-log.ts';
import { hasWorkedIn } from '../memory/trusted.ts';
import { identifyPlace, nameProject } from '../projects/place.ts';
import { ensureProject, findProjectBy, type Project } from '../projects/projects.ts';
import { takeNotice } from '../store/counters.ts';
import { type CommitTrace, linkMemories, listTraces } from './commit-links.ts';
import { type CommitPlace, settleReverts, storeCommit } from './commits.ts';

type GitMemoryDeps = {
  db: Database;
  config: () => Pick<Config, 'gitCommits'> & SilenceSettings;
  log: Log;
  clock: () => number;
  /** Where the person's own settings of git lie; null when nobody knows. */
  home: string | null;
  /** Something was stored, or its words have changed. */
  onStored: () => void;
};

export type GitMemory = ReturnType<typeof createGitMemory>;

/** Several events come at once, and what a turn is distilled to comes a moment after it. */
const SOON_MS = 1500;

export function createGitMemory(deps: GitMemoryDeps) {
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
    for (const cwd of folders) read(cwd).catch((error) => log.error('the git log could not be read', { error: String(error) }));
  };

  return {
    /** Something happened in this folder: its log is looked at soon. */
    noteProject(cwd: string) {
      if (signal.aborted) return;
      waiting.add(cwd);
      timer ??= setTimeout(readWaiting, SOON_MS);
    },
    /** The same at once, after what is being read. */
    readNow: (cwd: string) => (signal.aborted ? Promise.resolve({ added: 0 }) : read(cwd)),
    hasWork: () => waiting.size > 0 || running > 0,
    async close(): Promise<void> {
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
  const { db, config, clock, log, refused, shown, signal, home } = deps;
  const identity = identifyPlace(cwd, config());
  const { root, part } = identity;
  const head = readHead(root).commit;
  if (signal.aborted || config().gitCommits === 0 || head === null) return NOTHING;
  if (isSilent(db, config(), { session: null, cwd, project: nameProject(db, identity), at: clock() })) return NOTHING;
  const project = db.transaction(() => ensureProject(db, identity, clock())).immediate();
  // A folder that is a project of its own has a log of its own.
  const logRoot = part === undefined ? root : `${root}/${part}`;
  const before = readLogHead(db, logRoot);
  // A turn is processed after its commit was read; and before what is new, which may take back what they went into.
  db.transaction(() => linkMemories(db, project.id, listTraces(db, project.id, clock() - RECENT_MS))).immediate();
  const isSame = before === head || refused.get(logRoot) === head;
  if (isSame && shown.has(logRoot)) return NOTHING;
  const { person, here } = await readNames(root, home);
  // What a repository calls its user counts where the person has worked: before, anybody may have written it.
  const people = [person, hasWorkedIn(db, project.id) ? here : null].filter((one) => one !== null);
  const reading = { project, identity, head, known: listLogHeads(db, project.id), people, madeHere: listMadeHere(root, people) };
  if (!shown.has(logRoot)) showMadeHere(deps, reading);
  shown.add(logRoot);
  if (isSame) return NOTHING;
  const { added, isWhole } = await readNew(deps, reading);
  // Joined with another meanwhile: what happens next there reads it again.
  if (signal.aborted || !isStill(db, reading)) return { added };
  if (isWhole) noteLogRead(db, { root: logRoot, projectId: project.id, head, at: clock() });
  else {
    log.warn('git did not answer with its log', { head });
    refused.set(logRoot, head);
  }
  return { added };
}

const RECENT_MS = 7 * 86_400_000;

type Reading = { project: Project; identity: ProjectIdentity; head: string; known: string[]; people: Author[]; madeHere: Set<string> };

const isStill = (db: Database, { identity, project }: Reading): boolean => findProjectBy(db, identity)?.id === project.id;

/** Of commits that were read before. A store of 0.1 took a name or an address for proof: once, all of that is in doubt. */
function showMadeHere({ db, clock }: ReadDeps, { project, madeHere }: Reading): void {
  db.transaction(() => {
    if (takeNotice(db, 'own-commits-doubted', clock())) doubtOwnCommits(db);
    if (madeHere.size > 0) noteMadeHere(db, project.id, madeHere);
  }).immediate();
}

/** A session may wait for the first reading of a log: so many of the newest come before the rest, and these before the others. */
const FIRST = [40, 240];

async function readNew(deps: ReadDeps, reading: Reading): Promise<{ added: number; isWhole: boolean }> {
  const { db, config, onStored, signal } = deps;
  const { identity, head, known } = reading;
  const most = config().gitCommits;
  const steps = known.length === 0 ? [...FIRST.filter((step) => step < most), most] : [most];
  let [added, read] = [0, 0];
  let place: CommitPlace | null = null;
  let stored: LoggedCommit[] = [];
  for (const step of steps) {
    const asked = { root: identity.root, head, known, within: identity.part ?? null, skip: read, most: step - read, signal };
    const commits = (await readLog(asked))?.reverse();
    if (!commits) return { added, isWhole: false };
    place ??= await findPlace(deps, reading, commits);
    added += await storeCommits(deps, commits, place, step < most);
    if (commits.length > 0) onStored();
    [read, stored] = [step, [...commits, ...stored]];
    if (stored.length < step || signal.aborted) break;
  }
  // The newest were stored before what they may take back.
  const whole = place?.isStill() && steps.length > 1 && !signal.aborted ? place : null;
  if (whole) db.transaction(() => settleReverts(db, stored, whole)).immediate();
  return { added, isWhole: true };
}

async function findPlace({ db, config, clock }: ReadDeps, reading: Reading, commits: LoggedCommit[]): Promise<CommitPlace> {
  const { project, identity, head, known, people, madeHere } = reading;
  const { root } = identity;
  const settings = config();
  const names = nameProject(db, identity);
  const { excludePaths } = settingsFor(settings, names);
  const moments = commits.map(({ authoredAt }) => authoredAt);
  const excluded = new Map<string, boolean>();
  return {
    owner: { sessionId: null, projectId: project.id, promptNumber: 0, batchId: null, isProvisional: false },
    isStill: () => isStill(db, reading),
    clean: makeClean,
    isSilent: (at) => findSilence(db, settings, { session: null, cwd: root, project: names, at }) !== null,
    isExcluded(path) {
      const isOut = excluded.get(path) ?? isExcludedFile({ excludePaths, root, cwd: root }, path);
      excluded.set(path, isOut);
      return isOut;
    },
    leftBehind: await listLeftBehind(root, listHashesWrittenAt(db, project.id, moments), head),
    readAt: known.length === 0 ? 0 : clock(),
    isOwn: ({ hash, author }) => {
      if (people.length === 0) return null;
      return people.some((person) => isSameAuthor(author, person)) ? madeHere.has(hash) || null : false;
    },
  };
}

const SLICE_MS = 5;

/** Oldest first, in slices: whoever waits for the worker comes in between. Killed there, the next reading passes over what is there. */
async function storeCommits({ db, signal }: ReadDeps, commits: LoggedCommit[], place: CommitPlace, isAwaited: boolean): Promise<number> {
  let added = 0;
  for (let at = 0; at < commits.length && !signal.aborted && place.isStill(); ) {
    const [startedAt, from] = [performance.now(), at];
    db.transaction(() => {
      do {
        const commit = commits[at++];
        if (commit && storeCommit(db, commit, place)) added++;
      } while (at < commits.length && performance.now() - startedAt < SLICE_MS);
      linkMemories(db, place.owner.projectId, commits.slice(from, at).map(traceOf));
    }).immediate();
    // Half of the time at most, unless a session waits for them.
    await Bun.sleep(isAwaited ? 0 : performance.now() - startedAt);
  }
  return added;
}

const traceOf = ({ hash, parents, committedAt, touches }: LoggedCommit): CommitTrace => ({
  hash,
  parent: parents.length === 1 ? (parents[0] ?? null) : null,
  at: committedAt,
  blobs: new Map(touches.map(({ path, to }) => [path, to])),
});
