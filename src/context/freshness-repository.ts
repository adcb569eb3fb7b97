// What git says of the files in question, asked once for each commit that a work tree stands on.
import { readHeadBlobs, readReverted } from '../git/commits.ts';
import { type Commit, type History, readHistory } from '../git/history.ts';
import { findMoves, type Moves } from '../git/moves.ts';

/** As far as it was asked. */
export type Repository = {
  commits: History['commits'];
  /** Git's hashes of the files of HEAD; empty for one that it does not have. */
  blobs: Map<string, string>;
  /** New names by old ones, by the commit that moved them. */
  moves: Map<string, Moves>;
  /** By commit: those that it takes back. */
  reverted: Map<string, string[]>;
  /** Epoch ms: what happened after it is all there. Minus infinity when nothing that was asked for is missing. */
  backTo: number;
};

export type RepositoryQuery = {
  root: string;
  /** Null when only git can tell: then what it says is kept for one check alone. */
  head: string | null;
  /** The last commits of other branches. */
  tips: string[];
  paths: string[];
  /** Epoch ms. */
  since: number;
  heads: ReadonlySet<string>;
};

/** Ends all of the questions of one check together. */
export type MsLeft = () => number;

type Known = Repository & {
  key: string;
  askedAt: number;
  since: number;
  heads: ReadonlySet<string>;
  asked: Set<string>;
};

const MOST_ROOTS = 8;
/** What was cut short is asked again, but not by every session that starts. */
const CUT_SHORT_MS = 60_000;

const UNNAMED_MS = 100;

export type RepositoryReader = {
  read: (query: RepositoryQuery, msLeft: MsLeft) => Promise<Repository>;
  /** Fills in where the files went that these commits took away. */
  readMoves: (root: string, repository: Repository, commits: string[], msLeft: MsLeft) => Promise<void>;
  readReverted: (root: string, repository: Repository, commits: string[], msLeft: MsLeft) => Promise<void>;
};

export function createRepositoryReader({ clock }: { clock: () => number }): RepositoryReader {
  const known = new Map<string, Known>();

  function open(query: RepositoryQuery): Known {
    const before = known.get(query.root);
    if (before && isEnough(before, query, clock())) return before;
    const fresh = begin(query, clock());
    known.delete(query.root);
    known.set(query.root, fresh);
    const oldest = known.size > MOST_ROOTS ? known.keys().next().value : undefined;
    if (oldest !== undefined) known.delete(oldest);
    return fresh;
  }

  return {
    async read(query, msLeft) {
      const entry = open(query);
      const paths = query.paths.filter((path) => !entry.asked.has(path));
      if (paths.length === 0) return entry;
      const question = { root: query.root, deadlineMs: msLeft() };
      const tips = [query.head ?? 'HEAD', ...query.tips];
      const [history, tree] = await Promise.all([
        readHistory({ ...question, tips, paths, since: entry.since, heads: entry.heads }),
        readHeadBlobs(question, paths),
      ]);
      addHistory(entry, history);
      for (const path of paths) entry.blobs.set(path, tree.blobs.get(path) ?? '');
      for (const path of paths) entry.asked.add(path);
      entry.backTo = Math.max(entry.backTo, history.backTo, tree.isWhole ? entry.backTo : Number.POSITIVE_INFINITY);
      return entry;
    },
    async readMoves(root, repository, commits, msLeft) {
      const wanted = commits.filter((commit) => !repository.moves.has(commit));
      const found = await findMoves({ root, deadlineMs: msLeft() }, wanted);
      for (const [commit, moves] of found) repository.moves.set(commit, moves);
    },
    async readReverted(root, repository, commits, msLeft) {
      const wanted = commits.filter((commit) => !repository.reverted.has(commit));
      const found = await readReverted({ root, deadlineMs: msLeft() }, wanted);
      for (const [commit, reverted] of found) repository.reverted.set(commit, reverted);
    },
  };
}

const keyOf = ({ head, tips }: RepositoryQuery) => [head, ...tips].join(' ');

function isEnough(known: Known, query: RepositoryQuery, now: number): boolean {
  if (known.key !== keyOf(query) || (query.head === null && now - known.askedAt > UNNAMED_MS)) return false;
  if (known.backTo > query.since && now - known.askedAt > CUT_SHORT_MS) return false;
  return known.since <= query.since && [...query.heads].every((head) => known.heads.has(head));
}

const begin = (query: RepositoryQuery, askedAt: number): Known => ({
  key: keyOf(query),
  askedAt,
  since: query.since,
  heads: query.heads,
  asked: new Set(),
  commits: new Map(),
  blobs: new Map(),
  moves: new Map(),
  reverted: new Map(),
  backTo: Number.NEGATIVE_INFINITY,
});

/** Two checks may ask at the same time: what one has brought, the other does not bring again. */
function addHistory(entry: Known, { commits }: History): void {
  for (const commit of commits.values()) {
    const touches = commit.touches.filter(({ path }) => !entry.asked.has(path));
    const there: Commit | undefined = entry.commits.get(commit.hash);
    if (there) there.touches.push(...touches);
    else entry.commits.set(commit.hash, { ...commit, touches });
  }
}
